#!/usr/bin/env bash
# Builds, serves and tests Podwalk. Run ./build.sh -h for the verbs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

readonly out=build
readonly flags=(-trimpath "-ldflags=-s -w")
# Pinned, so that a check cannot change by itself.
readonly staticcheck=honnef.co/go/tools/cmd/staticcheck@v0.8.2
# Lines "passed failed skipped step", one for each step of test and difftest.
results=${PODWALK_RESULTS:-$PWD/$out/results.tsv}

usage() {
  cat <<'EOF'
usage: ./build.sh [VERB]

  build      the browser's programs, the Worker, the native program and the page (default)
  serve      build, then serve the page on this machine; what follows goes to "podwalk serve"
  test       every check and test but difftest
  difftest   compare with the libraries that Kubernetes itself is made of
  bench      sizes and times against their budgets
  fmt        format the Go files
  clean      remove what was built
EOF
}

say() { printf '\n== %s\n' "$*"; }
die() { printf 'build.sh: %s\n' "$*" >&2; exit 1; }

# --- what must be there ------------------------------------------------------

on_debian_as_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

# at_least VERSION MINIMUM: compares MAJOR.MINOR.
at_least() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

need_go() {
  command -v go >/dev/null || die "Go 1.26 or newer is needed and there is no go on the PATH.
  Install it as https://go.dev/doc/install says, or on macOS: brew install go"
  local have
  have=$(go env GOVERSION)
  at_least "${have#go}" 1.26 || die "Go 1.26 or newer is needed, this is $have.
  Install it as https://go.dev/doc/install says, or on macOS: brew install go"
}

need_node() {
  local how="Install it: apt-get install -y nodejs npm (Debian 13), brew install node (macOS), or as https://nodejs.org/en/download says"
  command -v node >/dev/null || die "Node 20 or newer is needed and there is no node on the PATH.
  $how"
  command -v npm >/dev/null || die "npm is needed and is not on the PATH.
  $how"
  at_least "$(node -p process.versions.node)" 20 || die "Node 20 or newer is needed, this is $(node -v).
  $how"
}

# find_browser prints the path of a Chromium, or nothing.
find_browser() {
  local name
  for name in "${CHROMIUM:-}" chromium chromium-browser google-chrome-stable google-chrome \
    "/Applications/Chromium.app/Contents/MacOS/Chromium" "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"; do
    [ -n "$name" ] && command -v "$name" && return
  done
  return 0
}

need_browser() {
  if [ -z "$(find_browser)" ] && on_debian_as_root; then
    say "installing Chromium"
    apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends chromium
  fi
  CHROMIUM=$(find_browser)
  export CHROMIUM
  [ -n "$CHROMIUM" ] || die "Chromium is needed for the tests in a browser.
  Install it: sudo apt-get install -y chromium (Debian), brew install --cask chromium (macOS), or set CHROMIUM to its path"
}

# npm_ready FOLDER: installs the locked packages where they are not there yet.
npm_ready() {
  if [ ! -e "$1/node_modules/.package-lock.json" ] || [ "$1/package-lock.json" -nt "$1/node_modules/.package-lock.json" ]; then
    say "npm ci in $1"
    (cd "$1" && npm ci --no-audit --no-fund --prefer-offline)
  fi
}

# --- build -------------------------------------------------------------------

# Without inlining the programs are a sixth smaller on the wire, and a run takes
# twice the time. In the runtime and the packages that it stands on, inlining costs
# 60 kB and gives a quarter of the time back. Of several patterns the last one that
# matches a package counts.
inlining=(-gcflags=all=-l -gcflags=runtime/...= -gcflags=internal/...= -gcflags=runtime=)
wasm() { GOOS=js GOARCH=wasm go build "${flags[@]}" "${inlining[@]}" -o "$1" "$2"; }

build_programs() {
  need_go
  mkdir -p "$out"
  say "play.wasm, full.wasm, lint.wasm, worker.wasm, podwalk"
  wasm "$out/play.wasm" ./wasm/play
  wasm "$out/full.wasm" ./wasm/full
  wasm "$out/lint.wasm" ./wasm/lint
  # The generator empties its folder, so it goes first.
  go run github.com/syumai/workers/cmd/workers-assets-gen -mode go -o "$out/worker"
  wasm "$out/worker/app.wasm" ./wasm/worker
  cp "$out/worker/app.wasm" "$out/worker.wasm"
  cp "$(go env GOROOT)/lib/wasm/wasm_exec.js" "$out/wasm_exec.js"
  go build "${flags[@]}" -o "$out/podwalk" ./core/cmd/podwalk
}

build_page() {
  need_node
  npm_ready web
  say "web/dist"
  (cd web && npm run --silent build)
}

build() {
  build_programs
  build_page
}

serve() {
  build
  exec "$out/podwalk" serve --dir web/dist "$@"
}

# --- test --------------------------------------------------------------------

failed=()

# check NAME COMMAND...: one pass or one failure.
check() {
  local name=$1
  shift
  say "$name"
  if "$@"; then
    printf '1\t0\t0\t%s\n' "$name" >>"$results"
  else
    printf '0\t1\t0\t%s\n' "$name" >>"$results"
    failed+=("$name")
  fi
}

# suite NAME COMMAND...: a test runner; .ci/count.mjs counts its tests.
suite() {
  local name=$1
  shift
  say "$name"
  "$@" 2>&1 | node .ci/count.mjs "$name" "$results" || failed+=("$name")
}

formatted() {
  local bad
  bad=$(git ls-files -co --exclude-standard '*.go' | grep -v /testdata/ | xargs gofmt -l)
  [ -z "$bad" ] || { printf 'not formatted (./build.sh fmt does it):\n%s\n' "$bad"; return 1; }
}

vet() { go vet ./... && GOOS=js GOARCH=wasm go vet ./wasm/...; }

lint_go() {
  if ! GOBIN="$PWD/$out/bin" go install "$staticcheck" 2>/dev/null; then
    echo "staticcheck is not to be had here (no network and not in the module cache): go vet only"
    return 0
  fi
  "$out/bin/staticcheck" ./... && GOOS=js GOARCH=wasm "$out/bin/staticcheck" ./wasm/...
}

# Not under GOOS=js, each for its reason.
not_in_wasm() {
  cat <<'EOF'
podwalk/core/api/gen          writes files on the developer's machine
podwalk/core/cmd/podwalk      starts processes and listens on sockets
podwalk/core/httpapi          listens on sockets; the Worker's own test covers it in wasm
podwalk/core/internal/arch    runs the go command over the source tree
podwalk/schemas/gen           writes files on the developer's machine
podwalk/wasm/browser          starts node to compare with play.wasm
EOF
}

wasm_tests() {
  local runner packages
  runner=$(go env GOROOT)/lib/wasm/go_js_wasm_exec
  packages=$(go list ./core/... ./schemas/... ./wasm/... | grep -vxF "$(not_in_wasm | cut -d' ' -f1)")
  # Node limits arguments and environment together, hence the short environment.
  # The measured outputs are compared natively; here they are hidden.
  # shellcheck disable=SC2086
  GOOS=js GOARCH=wasm go test -json -vet=off -timeout 20m \
    -exec "env -i PATH=$PATH HOME=$HOME PODWALK_SHARED=/nonexistent $runner" $packages
}

web() { (cd web && npm run --silent "$@"); }

test_all() {
  need_go
  need_node
  need_browser
  build
  start_results
  check "gofmt" formatted
  check "go vet" vet
  check "staticcheck" lint_go
  check "sizes" node wasm/size.mjs "$out"
  suite "go test" env PODWALK_BUILD="$PWD/$out" PODWALK_COURSES=2000 go test -json -vet=off -timeout 40m ./...
  suite "go test, GOOS=js" wasm_tests
  npm_ready wasm/worker/test
  suite "worker" node --test --test-reporter=tap wasm/worker/test/worker.test.mjs
  check "web: types" web check
  suite "web: unit" web test
  suite "web: e2e" web e2e
  finish
}

difftest() {
  need_go
  need_node
  start_results
  suite "difftest" go -C core/difftest test -json -vet=off -timeout 40m ./...
  finish
}

start_results() {
  mkdir -p "$out"
  [ -n "${PODWALK_RESULTS:-}" ] || : >"$results"
}

finish() {
  echo
  # .ci/run prints the sum of all verbs itself.
  [ -n "${PODWALK_RESULTS:-}" ] || node .ci/count.mjs --sum "$results"
  [ ${#failed[@]} = 0 ] || { printf 'failed: %s\n' "${failed[@]}"; exit 1; }
}

bench() {
  need_browser
  build
  say "sizes"
  node wasm/size.mjs "$out"
  PODWALK_BUILD="$PWD/$out" go test -count=1 -v -run Size ./core/internal/arch/ || say "a size is over its budget"
  say "bytes of each package in play.wasm"
  GOOS=js GOARCH=wasm go build -trimpath "${inlining[@]}" -o "$out/named.tmp" ./wasm/play
  node wasm/packages.mjs "$out/named.tmp"
  rm "$out/named.tmp"
  say "native"
  go test -run '^$' -bench Budget -benchtime 5x ./wasm/browser/
  say "wasm"
  node wasm/bench.mjs "$out"
  say "wasm: 1,000 Services with 10,000 endpoints (a change 1 ms, a request 0.2 ms)"
  GOOS=js GOARCH=wasm go test -run '^$' -bench 'Among|OfTenThousand' -benchtime 300x -exec "env -i PATH=$PATH HOME=$HOME $(go env GOROOT)/lib/wasm/go_js_wasm_exec" \
    ./core/network/request ./core/controllers/endpointslice
  say "browser"
  web bench
}

fmt() {
  need_go
  git ls-files -co --exclude-standard '*.go' | grep -v /testdata/ | xargs gofmt -w
}

clean() { rm -rf "$out" web/dist; }

verb=${1:-build}
[ $# = 0 ] || shift
case $verb in
  build | serve | difftest | bench | fmt | clean) "$verb" "$@" ;;
  test) test_all ;;
  -h | --help | help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
