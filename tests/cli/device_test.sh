#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The command on a CUDA device: --stats, profiles, bench's ladders, tune. The device may be the
# emulation, so texts are small and speeds mean nothing.
source "$(dirname "$0")/harness.sh" "$1"

export XDG_CONFIG_HOME=$work/config
export TRAWL_EMULATOR_MEMORY=$((96 << 20)) # ceilings are measured in a part of it
printf 'fox\nox\na dog\nquick\n' >words
yes 'a quick fox and a dog' | head -c 20000 >text
matches=$("$trawl" scan -c -f words text)
scan() { "$trawl" scan --engine ac-dfa -f words "$@" text; }
in_json() { sed -nE "s/.*\"$1\":\"?([^,\"}]*).*/\1/p" "${2:-.out}"; }

check 'devices' "$trawl" devices
holds 'a GPU' grep -q '^cuda:0	' .out
"$trawl" scan -f words text >expected
for device in cuda cuda:0 auto; do
    scan --device $device >found
    check "scan on $device" cmp expected found
done
several() { TRAWL_EMULATOR_DEVICES=3 scan --segment-bytes 1k "$@"; }
for device in cuda:0,0 cuda:0,0,0 $([[ $trawl == *emulated* ]] && echo cuda:all cuda:0-2 cuda:2,1 cuda:auto); do
    several --device $device >found
    check "scan on $device" cmp expected found
done
several --device cuda:0,0 --stats -c 2>stats >/dev/null
holds 'two walks of one GPU' grep -q '"device":"cuda:0,0".*"devices":2' stats
refuse 'there is no CUDA device 77' scan --device cuda:0,77
refuse "not 'cuda:x'; did you mean" scan --device cuda:x
refuse 'transfer a is for one GPU' scan --device cuda:0,0 --transfer a
refuse 'bench measures one GPU' "$trawl" bench --device cuda:all -f words text
refuse '--run-time is for the CPU' "$trawl" bench --device cuda --repeat 1 --run-time 20 -f words text
refuse 'tune measures one GPU' "$trawl" tune --device cuda:0,1
if [[ $trawl == *emulated* ]]; then # GPUs without memory
    TRAWL_EMULATOR_FAIL_AFTER=0 several --device cuda:all --stats 2>stats >found
    check 'the CPU instead of three GPUs' cmp expected found
    holds 'three were left out' grep -q '"devices_left_out":3,"cpu_bytes":20000,"device_failure":"' stats
fi
check 'an engine that has kernels' "$trawl" scan --device cuda -f words text
holds 'the same matches' cmp expected .out
yes 'a quick fox and a dog' | head -c 1200000 >large
expect 0 "$("$trawl" grep -c fox large)" "$trawl" grep --device cuda -c fox large
refuse '--device cuda:77: ' scan --device cuda:77
refuse "no kernel 'ac9'" scan --device cuda --kernel ac9
refuse 'nowhere: ' "$trawl" scan --device cuda -f nowhere text
if [[ $trawl == *emulated* ]]; then # while the device is started the set is compiled: one message
    without() { TRAWL_EMULATOR_DEVICES=0 "$trawl" scan "$@"; }
    little() { TRAWL_EMULATOR_MEMORY=1000000 "$trawl" scan "$@"; }
    refuse 'no CUDA device can be used' without --device cuda -f words text
    refuse 'no CUDA device can be used' without --device cuda -f nowhere text
    refuse 'bytes of memory free' little --device cuda -f words text
    refuse 'nowhere: ' little --device cuda -f nowhere text
    expect 0 "$matches" without --device auto -c -f words text
    expect 0 "$matches" little --device auto -c -f words text
    little --device auto --stats -c -f words text 2>stats >/dev/null
    holds 'a plan for the CPU' grep -q '"device":"cpu"' stats
    holds 'no plan for a GPU' test "$(grep -c planned_for_cuda stats)" -eq 0
fi

# texts that are read by offset: those of more than a few megabytes
{ yes 'a quick fox and a dog, and nothing but lines in which there is no match at all' | head -c 4500000; printf fox; } >long
"$trawl" scan -f words long >expected
lines=$(wc -l <expected)
for options in '' '--threads 1' '--threads 3 --segment-bytes 700k' '--transfer a' '--segments 1'; do
    "$trawl" scan --device cuda $options -f words long >found
    check "long text, $options" cmp expected found
done
expect 0 "$lines" "$trawl" scan --device cuda -c -f words long
expect 0 "$lines" "$trawl" scan --device cuda -c -f words - <long
expect 0 "text:$matches\nlong:$lines" "$trawl" scan --device cuda -c -f words text long
for options in '--top 3' '-c --matches leftmost-first' '--matches leftmost-longest --format jsonl'; do
    "$trawl" scan $options -f words text long >expected
    "$trawl" scan --device cuda $options -f words text long >found
    check "long text, $options" cmp expected found
done
# a descriptor that has been read from, and what reading leaves behind
tail -c +100001 long >rest
rest=$("$trawl" scan -c -f words rest)
expect 0 "$rest\n0" bash -c "{ head -c 100000 >/dev/null
    '$trawl' scan --device cuda -c -f words -; cat | wc -c; } <long"
"$trawl" scan --device cuda -f words long -o found
"$trawl" scan -f words long >expected
check 'to a file' cmp expected found
# reading fails, or the file shrinks: what came before is told. The first 768 reads take samples.
if has strace && strace -o /dev/null -e inject=pread64:retval=0:when=3 true 2>/dev/null; then
    shaken() { # a sanitizer cannot look for leaks while the process is traced
        ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" strace -o /dev/null -P "$work/long" -e "inject=pread64:$1" "$trawl" scan --device cuda \
            --no-profile --threads 1 --segment-bytes 1m -f words "$work/long"
    }
    refuse 'long: Input/output error' shaken error=EIO:when=770+
    holds 'matches before the failure' test -s .out
    refuse 'long: became shorter while it was read' shaken retval=0:when=770+
    check 'a signal in the midst of reading' shaken error=EINTR:when=770
    holds 'all matches' test "$(wc -l <.out)" -eq "$lines"
fi

# stats
stats() { scan -c --stats "$@" 2>.stats >/dev/null; in_json "$key" .stats; }
key=device; expect 0 cuda:0 stats --device cuda
expect 0 cuda:0 stats --device auto
key=kernel; expect 0 ac3 stats --device cuda --variant stt+ac3
key=kernel; expect 0 ac4 stats --device cuda --variant ac4
key=setup_seconds; scan -c --stats --device cuda 2>.stats >.out
holds 'times' grep -qE '"setup_seconds":[0-9.]+.*"read_wait_seconds":[0-9.]+' .stats
key=transfer; expect 0 a stats --device cuda --transfer a --segment-bytes 4k
key=segments; expect 0 5 stats --device cuda --transfer a --segment-bytes 4k
key=block_threads; expect 0 128 stats --device cuda --kernel ac0 --block-threads 128
scan -c --stats --device auto >.out 2>.stats
holds 'why this device' grep -q '"device_reason":"[^"]' .stats

# plans for the device
"$trawl" scan -c --stats --device cuda -f words text 2>.stats >.out
holds 'why this engine' grep -q '"planned_for_cuda":"kernel ' .stats
for kernel in ac3 filter rolling; do # names the engine
    expect 0 "$matches" "$trawl" scan -c --device cuda --kernel $kernel -f words text
done
refuse "no kernel 'ac9'" "$trawl" scan --device cuda --kernel ac9 -f words text
check 'bench of the plan' "$trawl" bench --device cuda --engine auto --on-device --repeat 1 -f words text
holds 'its reason' grep -qE '^  auto took [a-z-]+: kernel [a-z]+, [0-9]+ GB/s expected' .out
check 'bench of the plan, JSON' "$trawl" bench --device cuda --engine auto --on-device --repeat 1 \
    --format json -f words text
holds 'its reason there' grep -q '"expected_gb_per_second":[1-9].*"reason":"kernel ' .out

# bench: the ladder of each family, all with the matches of the CPU
check 'bench' "$trawl" bench --device cuda --engine ac-dfa:stt16 --repeat 1 -f words text
holds 'a ladder' grep -q '^ac-dfa, AC0..AC4' .out
holds "the paper's speed-up" grep -qE '^stt16 +ac4 .* 7\.96-8\.68$' .out
holds 'strategies' grep -q '^stt16 .* b, 4 segments ' .out
holds 'a kernel that writes states only' grep -q '^stt16 .*ac4-registers .*refuses: .*states only' .out
check 'states' "$trawl" bench --device cuda --engine ac-dfa:stt16 --form states --on-device \
    --repeat 1 -f words text
holds 'states from registers' grep -qE '^stt16 +ac4-registers +- +[0-9]' .out
check 'bench of ac-split' "$trawl" bench --device cuda --engine ac-split:stt --on-device \
    --repeat 1 -f words text
holds 'Fig. 19' grep -qE '^stt +p2, .* 1\.72-4\.48$' .out
check 'bench of ac-nfa' "$trawl" bench --device cuda --engine ac-nfa:thesis-3 --on-device \
    --repeat 1 -f words text
holds 'representation 3' grep -qE '^thesis-3 +constant +[0-9]' .out
check 'bench, JSON' "$trawl" bench --device cuda --format json --repeat 1 -f words text
holds 'keys' grep -q '"kernel":"ac1".*"share_of_bandwidth":.*"speedup":.*"paper_speedup":{' .out
holds 'matches' test "$(in_json matches | sort -u)" = "$matches"
if has python3; then
    holds 'JSON parses' python3 -c 'import json
for line in open(".out"): json.loads(line)'
fi
check 'one kernel' "$trawl" bench --device cuda --engine ac-dfa:stt16 --kernel ac2 --form states \
    --repeat 1 --format json -f words text
holds 'one row' test "$(grep -c '"device":"cuda:0"' .out)" -eq 1
check 'on the device alone' "$trawl" bench --device cuda --on-device --engine ac-dfa:stt16 \
    --kernel ac2 --repeat 1 --format json -f words text
holds 'one row again' test "$(grep -c '"device":"cuda:0"' .out)" -eq 1

# tune, and who reads what it wrote
check 'tune' "$trawl" tune --kernel ac0 --repeat 1 --limit 2k -f words text
profile=$(sed -n 's/^# .*; written to //p' .out)
holds 'the profile' grep -q '^kernel = ac0$' "$profile"
holds 'how long, and which file' bash -c 'tr -d "#" <.out | tr -s " \n" " " |
    grep -q "1 kernel of ac-dfa with about .* seconds. Then .*/trawl/.*profile is written"'
holds 'before it measures' bash -c 'head -n 1 .out | grep -q "^# 1 kernel of ac-dfa "'
holds 'what was found' grep -q '^# Kernel ac0 is the fastest one, with ' .out
refuse 'text/profile: ' "$trawl" tune --profile text/profile -f words text
key=profile; expect 0 "$profile" stats --device cuda
key=kernel; expect 0 ac0 stats --device cuda
key=kernel; expect 0 hot stats --device cuda --no-profile
key=kernel; expect 0 ac3 stats --device cuda --kernel ac3
cp "$profile" mine
key=profile; expect 0 mine stats --device cuda --profile mine
check 'bench reads it' "$trawl" bench --device cuda --engine ac-dfa --repeat 1 -f words text
holds 'its row' grep -q '^ac-dfa, parameters of trawl tune' .out

# costs for plans, beside what is there; plans follow them
check 'tune for plans' "$trawl" tune --limit 16k
holds 'what was found' grep -q '^# Times on this GPU' .out
holds 'costs' grep -qE '^hot_step	[0-9]' .out
holds 'both parts' test "$(grep -c '^kernel = ac0$\|^\[cuda costs\]$' "$profile")" -eq 2
planned() { # with qgram's filter at this cost
    printf '[cuda costs]\nfilter = %s\npacked = %s\n' "$1" "$1" >costs
    mv costs "$XDG_CONFIG_HOME/trawl/$(basename "$profile")"
    "$trawl" info --device cuda -f words --format json | sed -E 's/.*"plan":\{"engine":"([a-z-]*).*/\1/'
}
cp "$profile" saved
expect 0 ac-dfa planned 1000
expect 0 qgram planned 0.001
mv saved "$profile"

# damaged: an error when named, else ignored and told
echo 'kernel: ac0' >>"$profile"
cp "$profile" mine
line=$(wc -l <mine)
refuse "mine:$line: not a line of a profile" scan --device cuda --profile mine
refuse 'gone: No such file' scan --device cuda --profile gone
stats --device cuda >.out
holds 'told' grep -q '"profile_ignored":".*not a line of a profile' .stats
expect 0 "$matches" scan -c --device cuda

finish
