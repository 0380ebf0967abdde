import assert from 'node:assert/strict';
import test from 'node:test';
import { decodeLink, encodeLink, type Shared } from '../../src/model/url';

const shared: Shared = {
  files: [{ name: 'pod.yaml', text: 'kind: Pod # 中文 <script>\n' }, { name: 'b.yaml', text: '' }],
  inputs: [{ op: 'do', branch: 'main', argv: ['delete', 'pod', 'web'], at: 12.4 }, { op: 'do', branch: 'b1', argv: ['get', 'pods'] }],
  branch: 'b1', cursor: 12_400_000_000,
};

test('a link gives back what was put into it', async () => {
  const fragment = await encodeLink(shared);
  assert.match(fragment, /^s=[A-Za-z0-9_-]+$/);
  assert.deepEqual(await decodeLink(`#${fragment}`), shared);
});

test('a page without a link has none', async () => {
  assert.equal(await decodeLink(''), null);
  assert.equal(await decodeLink('#top'), null);
});

test('a damaged link is refused', async () => {
  const good = await encodeLink(shared);
  await assert.rejects(decodeLink(`#s=${good.slice(2, 20)}`));
  await assert.rejects(decodeLink('#s=AAAA'));
});

test('a link that would unpack to very much is refused', async () => {
  const bomb = await encodeLink({ ...shared, files: [{ name: 'x', text: 'a'.repeat(9 << 20) }] });
  await assert.rejects(decodeLink(`#${bomb}`), /too long/);
});
