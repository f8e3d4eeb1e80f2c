# SPDX-License-Identifier: MIT OR Apache-2.0
# Sourced by the tests of the command line: `source harness.sh TRAWL`. Each test works in a
# directory of its own, which is removed at the end.
set -u
export LC_ALL=C
trawl=$(readlink -f "$1")
work=$(mktemp -d "${TMPDIR:-/tmp}/trawl-cli.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
checks=0
failures=0

# fail WHAT: records a failed check and shows what came out.
fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    echo "--- output"; head -c 2000 "$work/.out"
    echo "--- messages"; head -c 2000 "$work/.err"
}

# expect STATUS OUTPUT COMMAND...: the command's exit status and its whole output (escapes of
# printf %b; a final line end is added unless OUTPUT is empty) and no message.
expect() {
    local status=$1 output=$2
    shift 2
    checks=$((checks + 1))
    "$@" >"$work/.out" 2>"$work/.err"
    local got=$?
    if [ -n "$output" ]; then printf '%b\n' "$output" >"$work/.want"; else : >"$work/.want"; fi
    if [ "$got" -ne "$status" ]; then
        fail "$* (status $got, expected $status)"
    elif ! cmp -s "$work/.out" "$work/.want"; then
        fail "$* (output, expected:)
$(cat "$work/.want")"
    elif [ -s "$work/.err" ]; then
        fail "$* (expected no message)"
    fi
}

# warns STATUS MESSAGES COMMAND...: the command's exit status and all of its messages.
warns() {
    local status=$1 messages=$2
    shift 2
    checks=$((checks + 1))
    "$@" >"$work/.out" 2>"$work/.err"
    local got=$?
    if [ "$got" -ne "$status" ]; then
        fail "$* (status $got, expected $status)"
    elif [ "$(cat "$work/.err")" != "$messages" ]; then
        fail "$* (messages, expected:)
$messages"
    fi
}

# refuse MESSAGE COMMAND...: exit status 2 and exactly one line of messages, "trawl: " and then
# something that contains MESSAGE.
refuse() {
    local message=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/.out" 2>"$work/.err"
    local got=$?
    if [ "$got" -ne 2 ]; then
        fail "$* (status $got, expected 2)"
    elif [ "$(wc -l <"$work/.err")" -ne 1 ] || ! grep -q '^trawl: ' "$work/.err"; then
        fail "$* (expected one line beginning with 'trawl: ')"
    elif ! grep -qF -- "$message" "$work/.err"; then
        fail "$* (expected a message with: $message)"
    fi
}

# check WHAT COMMAND...: the command succeeds.
check() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >"$work/.out" 2>"$work/.err" || fail "$what: $*"
}

# holds WHAT COMMAND...: the same for a look at .out or .err of the check before, which it keeps.
holds() {
    local what=$1
    shift
    checks=$((checks + 1))
    "$@" >/dev/null || fail "$what: $*"
}

# continued BEFORE AFTER: the journals in the folder AFTER begin with all records (64 bytes each) that they had in BEFORE,
# a copy from before the scan was resumed: what was finished is not scanned again.
continued() {
    local journal bytes
    for journal in "$1"/journal-*; do
        [ -e "$journal" ] || continue
        checks=$((checks + 1))
        bytes=$(stat -c %s "$journal")
        cmp -s -n $((bytes - bytes % 64)) "$journal" "$2/${journal##*/}" ||
            fail "${journal##*/}: a resumed scan has dropped records of finished segments"
    done
}

# shrinks MAKE COMMAND...: COMMAND has the journal j and reads the text `shrinking`, which MAKE writes and which becomes
# shorter meanwhile: exit status 2, and one message about it.
shrinks() {
    local make=$1 got=0 attempt
    shift
    for ((attempt = 0; got == 0 && attempt < 10; attempt++)); do # until it shrinks before the command has ended
        rm -rf j
        $make
        "$@" >"$work/.out" 2>"$work/.err" &
        while [ ! -e j/journal-0 ] && kill -0 $! 2>/dev/null; do :; done
        truncate -s 1000 shrinking
        wait $!
        got=$?
    done
    checks=$((checks + 1))
    if [ $got -ne 2 ] || [ "$(wc -l <"$work/.err")" -ne 1 ] || ! grep -q '^trawl: text shrinking: ' "$work/.err" ||
        grep -qi 'input/output' "$work/.err"; then
        fail "$* with a text that shrinks (status $got)"
    fi
}

# has TOOL...: all of them are installed.
has() {
    local tool
    for tool in "$@"; do command -v "$tool" >/dev/null || return 1; done
}

# finish: the last line of every test.
finish() {
    echo "$checks checks, $failures failed"
    [ "$failures" -eq 0 ]
}
