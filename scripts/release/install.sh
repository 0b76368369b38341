#!/bin/sh
# sh install.sh ADDRESS: puts the executable of this machine into ~/.local/bin. ADDRESS is the folder of the release files.
set -eu

fail() {
  echo "error: $1" >&2
  exit 1
}

fetch() {
  if command -v curl >/dev/null 2>&1; then
    curl -fsSL --proto-redir '=https' -o "$2" "$1"
  else
    wget -q -O "$2" "$1"
  fi || fail "cannot download $1"
}

sum() {
  if command -v sha256sum >/dev/null 2>&1; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

# A function, so that nothing runs where the download of this script breaks off.
main() {
  base=${1:-}
  base=${base%/}
  case $base in
    https://?* | http://localhost:* | http://127.0.0.1:*) ;;
    *) fail 'usage: sh install.sh https://ADDRESS' ;;
  esac
  case $(uname -s) in
    Linux) system=linux ;;
    Darwin) system=darwin ;;
    *) fail "no executable for $(uname -s); use the npm archive" ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) machine=x64 ;;
    aarch64 | arm64) machine=arm64 ;;
    *) fail "no executable for $(uname -m); use the npm archive" ;;
  esac
  name=berth-$system-$machine
  folder=$HOME/.local/bin
  mkdir -p "$folder"
  # In the same folder: the last step is a rename.
  new=$(mktemp -d "$folder/.berth-XXXXXX")
  trap 'rm -rf "$new"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
  fetch "$base/SHA256SUMS" "$new/sums"
  wanted=$(awk -v name="$name" '$2 == name { print $1 }' "$new/sums")
  [ -n "$wanted" ] || fail "$base/SHA256SUMS does not name $name"
  fetch "$base/$name" "$new/berth"
  [ "$(sum "$new/berth")" = "$wanted" ] || fail "the SHA-256 of $name is not the one in SHA256SUMS"
  chmod 755 "$new/berth"
  version=$("$new/berth" --version) || fail "$name does not run on this machine"
  mv -f "$new/berth" "$folder/berth"
  echo "installed berth $version: $folder/berth"
  case :$PATH: in
    *:"$folder":*) ;;
    *) echo "Add it to PATH: export PATH=\"$folder:\$PATH\"" ;;
  esac
}

main "$@"
