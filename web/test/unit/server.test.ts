import assert from 'node:assert/strict';
import test from 'node:test';
import { headersOf } from '../support/server.mjs';

test('headers are read from a netlify.toml as production sends them', () => {
  const toml = '[build]\ncommand = "x"\n[[headers]]\nfor = "/*"\n[headers.values]\n# why\nContent-Security-Policy = "default-src \'none\'"\n[[headers]]\nfor = "/assets/*"\n[headers.values]\nCache-Control = "immutable"\n';
  assert.deepEqual(headersOf(toml), [
    { for: '/*', values: { 'Content-Security-Policy': "default-src 'none'" } },
    { for: '/assets/*', values: { 'Cache-Control': 'immutable' } },
  ]);
});
