import { useState } from 'preact/hooks';
import { sendRequest } from '../actions/run';
import { senders } from '../model/network';
import * as s from '../state';
import { Hops } from './Hops';
import { Matrix } from './Matrix';
import { Empty } from './Panels';
import { Rules } from './Rules';

/** A request hop by hop, the rules that it met, and who reaches whom. */
export function Network() {
  const w = s.words.value;
  const views: readonly s.NetView[] = ['request', 'rules', 'matrix'];
  return (
    <div class="network">
      <div class="choice" role="group" aria-label={w.network}>
        {views.map((v) => <button key={v} type="button" aria-pressed={s.netView.value === v} onClick={() => { s.netView.value = v; }}>{w.netViews[v]}</button>)}
      </div>
      {s.netView.value === 'request' && <><Form /><Hops /></>}
      {s.netView.value === 'rules' && <Rules />}
      {s.netView.value === 'matrix' && <Matrix />}
    </div>
  );
}

function Form() {
  const w = s.words.value;
  const state = s.cluster.value;
  const [to, type] = useState('');
  const [from, choose] = useState('');
  if (!state) return <Empty>{w.noNodes}</Empty>;
  const list = senders(state);
  const sender = list.includes(from) ? from : list[0]!;
  const service = state.services.find((x) => x.name !== 'kubernetes') ?? state.services[0];
  const hint = service ? targetOf(service) : 'http://10.244.1.2';
  return (
    <form class="choice ask" onSubmit={(e) => { e.preventDefault(); void sendRequest(sender, to.trim() || hint); }}>
      <label>{w.netFrom}{' '}
        <select class="mono" value={sender} onChange={(e) => choose(e.currentTarget.value)}>{list.map((x) => <option key={x}>{x}</option>)}</select></label>
      <label>{w.netTo}{' '}
        <input class="mono" list="targets" value={to} placeholder={hint} spellcheck={false} autocomplete="off" onInput={(e) => type(e.currentTarget.value)} /></label>
      <datalist id="targets">
        {state.services.map((x) => <option key={`${x.namespace}/${x.name}`} value={targetOf(x)} />)}
        {state.pods.filter((p) => p.ip).map((p) => <option key={p.uid} value={`http://${p.ip}`}>{p.name}</option>)}
      </datalist>
      <button type="submit" class="main">{w.send}</button>
    </form>
  );
}

function targetOf(x: { namespace: string; name: string; port: number }): string {
  const host = x.namespace === 'default' ? x.name : `${x.name}.${x.namespace}`;
  return `http://${host}${x.port === 80 || x.port === 0 ? '' : `:${x.port}`}`;
}
