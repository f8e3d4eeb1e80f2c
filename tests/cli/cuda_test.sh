#!/bin/bash
# SPDX-License-Identifier: MIT OR Apache-2.0
# The flags of CUDA devices as far as they can be checked without one: misuse, what is said where no
# device is, reading of profiles.
source "$(dirname "$0")/harness.sh" "$1"

printf 'one fox, two foxes\n' >text
export XDG_CONFIG_HOME=$work/config
"$trawl" devices >devices
cuda=$(grep -c '^cuda' devices)

# what only a CUDA device can follow
for flags in '--kernel ac3' '--transfer a' '--segment-bytes 1M' '--segments 3' '--block-threads 64' \
    '--block-bytes 14592' '--table-path texture' '--profile nosuch'; do
    refuse "${flags%% *} is for CUDA devices" "$trawl" scan $flags -e fox text
    refuse "${flags%% *} is for CUDA devices" "$trawl" scan --device cpu $flags -e fox text
done
refuse '--kernel is for CUDA devices' "$trawl" scan --engine ac-dfa --variant ac3 -e fox text

# values
refuse 'expected ring, a, b or zero-copy' "$trawl" scan --transfer c -e fox text
refuse '--segment-bytes: expected a whole number of bytes' "$trawl" scan --segment-bytes 0 -e fox text
refuse '--segments: expected a number from 1' "$trawl" scan --segments 0 -e fox text
refuse '--block-threads: expected a number from 32 to 1024' \
    "$trawl" scan --block-threads 8 -e fox text
refuse '--block-threads: expected a multiple of 32' "$trawl" scan --block-threads 33 -e fox text
refuse '--block-bytes: expected a whole number of bytes' "$trawl" scan --block-bytes x -e fox text
refuse 'expected texture or read-only' "$trawl" scan --table-path constant -e fox text
for device in gpu cud cudax cuda: cuda:x cuda:-1 cuda:99999; do
    for command in scan grep bench; do
        refuse "expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto, not '$device'" \
            "$trawl" $command --device $device -e fox text
    done
done

# kernels in --variant
scan() { "$trawl" scan --engine ac-dfa "$@" -e fox text; }
refuse 'expected one of the kernels of ac-dfa (hot, ac0, ac1, ac2, ac3, ac4, ac4-registers) after the +' \
    scan --variant stt+fast
refuse 'expected one of the variants of ac-dfa (classes, stt, stt16) before the +' scan --variant x+ac3
refuse 'name two kernels' scan --variant stt+ac3 --kernel ac2
refuse "'nonsense'" scan --variant nonsense

# bench and tune
bench() { "$trawl" bench -e fox "$@" text; }
refuse 'expected count, patterns, matches, ends or states' bench --form bits
refuse '--form ends and states are for CUDA devices' bench --form ends
check '--form patterns on the CPU' bench --form patterns --engine ac-dfa --repeat 1
tune() { "$trawl" tune "$@"; }
refuse 'expected patterns' tune text
refuse 'expected a text' tune -e fox
refuse "expected one text, found 'more' too" tune -e fox text more
refuse 'without patterns and text' tune --device cpu -e fox text
refuse 'expected cuda, cuda:N or cpu' tune --device auto -e fox text
refuse '--kernel needs patterns' tune --kernel hot
refuse '--repeat needs patterns' tune --device cpu --repeat 2
for flag in '--engine ac-dfa' '--variant stt' '--matches all' -i -w -v \
    '--pattern-format hex' --crlf '--kernel hot'; do
    # shellcheck disable=SC2086
    refuse "${flag%% *} needs patterns and a text" timeout 10 "$trawl" tune --device cpu $flag
    # shellcheck disable=SC2086
    refuse "${flag%% *} needs patterns and a text" timeout 10 "$trawl" tune $flag
done
refuse '--limit needs a GPU' tune --device cpu --limit 1M
refuse 'cannot be both' tune -f - -
# the file is looked at before anything is measured
mkfifo fifo
printf 'no profile\n' >book && cp book book.kept
refuse "book:1: not a line of a profile of 'trawl tune'" timeout 10 "$trawl" tune --device cpu --profile book
cmp book book.kept || fail 'tune --profile has changed a file that is no profile'
refuse "--profile: fifo: is a FIFO; expected a file" timeout 10 "$trawl" tune --device cpu --profile fifo
refuse '--profile: the file name is empty' timeout 10 "$trawl" tune --device cpu --profile ''
rm fifo
# a profile that can be replaced but not read would lose its other parts
printf '[ac-dfa stt]\nkernel = hot\n' >secret
chmod 200 secret
if [ "$(id -u)" -ne 0 ]; then
    refuse 'secret: Permission denied' timeout 10 "$trawl" tune --device cpu --profile secret
elif has setpriv; then
    chmod 777 .
    refuse 'secret: Permission denied' setpriv --reuid 65534 --clear-groups \
        timeout 10 "$trawl" tune --device cpu --profile secret
fi
check 'a profile that is not kept' \
    bash -c "timeout 3 '$trawl' tune --device cpu --profile /dev/null; test \$? -eq 124"
check 'a name that a terminal would execute' \
    bash -c "timeout 3 '$trawl' tune --device cpu --profile \$'t\e[7m'; test \$? -eq 124"
holds 'is shown without its control characters' grep -qF 't?[7m' .out
refuse '--repeat: expected a number from 1' tune --repeat 0 -e fox text

# plans for a GPU, which need none
check 'a plan for a GPU' "$trawl" info --device cuda --sample text -e fox -e dog
checks=$((checks + 1))
tr -s ' \n' ' ' <.out | grep -qE 'engine (qgram|ac-dfa), .* why kernel [a-z]+, [0-9]+ GB/s expected' || fail 'why this kernel'
check 'the same for programs' "$trawl" info --device cuda:0 --format json -e fox
checks=$((checks + 1))
grep -q '"device":"cuda".*"kernel":"hot","shared_bytes":[1-9]' .out || fail 'kernels that were considered'
refuse '--device: expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto' "$trawl" info --device gpu -e fox
refuse '--device: expected cpu, cuda, cuda:N, cuda:all, cuda:N,M or auto' "$trawl" compile --device gpu -e fox -o fox.db
check 'a plan for the first of several GPUs' "$trawl" compile --device cuda:2,3 -e fox -o several.db
check 'a database for a GPU' "$trawl" compile --device cuda --sample text -e fox -e foxes -o fox.db
expect 0 3 "$trawl" scan -c --db fox.db text

# without a device: one line that says why; auto takes the CPU, and a kernel cannot run there
if [ "$cuda" -eq 0 ]; then
    why=$(sed -n 's/^# no CUDA device is offered: //p' devices)
    check 'devices says why' test -n "$why"
    for command in scan grep bench; do
        refuse "--device cuda: $why" "$trawl" $command --device cuda -e fox text
    done
    refuse "--device cuda: $why" tune -e fox text
    refuse "--device cuda: $why" tune --device cuda
    # without a GPU the CPU is tuned; the file is checked before anything is measured
    refuse '/text/trawl/' env XDG_CONFIG_HOME=$work/text "$trawl" tune
    refuse 'text/profile: Not a directory' tune --profile text/profile
    refuse 'new/folder/profile: No such file' tune --profile new/folder/profile
    check 'no folder is made' test ! -e new
    check 'bench on auto' bench --device auto --engine ac-dfa --repeat 1
    refuse '--device cuda:7: ' "$trawl" scan --device cuda:7 -e fox text
    expect 0 2 "$trawl" scan --device auto -c -e fox text
    expect 0 2 "$trawl" scan --device auto --segments 3 --no-profile -c -e fox text
    refuse 'nosuch: No such file' scan --device auto --profile nosuch
    refuse 'nosuch: No such file' "$trawl" bench --device auto --profile nosuch -e fox text
    checks=$((checks + 1))
    "$trawl" scan --device auto --stats -c -e fox text >.out 2>.err
    grep -q '"device":"cpu"' .err || fail '--stats tells which device auto took'
    refuse '--kernel ac3: --device auto took the CPU' scan --device auto --kernel ac3
fi
expect 0 'one fox, two foxes' "$trawl" grep --device cpu fox text

finish
