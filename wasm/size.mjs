// Measures the browser's and the Worker's programs: raw, gzip -9 and brotli -11
// bytes of every .wasm in a folder, written to sizes.json there. The budgets
// stand in core/internal/arch, whose test judges them.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const folder = process.argv[2] ?? 'build';
const file = join(folder, 'sizes.json');
const known = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {};
const sizes = {};
for (const name of readdirSync(folder).filter((n) => n.endsWith('.wasm')).sort()) {
  const bytes = readFileSync(join(folder, name));
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  sizes[name] = known[name]?.sha256 === sha256 ? known[name] : measure(bytes, sha256);
  const { raw, gzip, brotli } = sizes[name];
  console.log(`${name.padEnd(14)} raw ${mb(raw)}  gzip ${mb(gzip)}  brotli ${mb(brotli)}`);
}
writeFileSync(file, JSON.stringify(sizes, null, 1) + '\n');

function measure(bytes, sha256) {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LGWIN]: 24,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return {
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, { params }).length,
    sha256,
  };
}

function mb(n) {
  return `${(n / 1e6).toFixed(3)} MB`.padStart(9);
}
