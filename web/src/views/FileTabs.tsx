import { useState } from 'preact/hooks';
import { addFile, removeFile, renameFile } from '../actions/page';
import * as s from '../state';
import { Icon } from './Glyph';

export function FileTabs() {
  const w = s.words.value;
  const [renaming, rename] = useState(-1);
  const many = s.files.value.length > 1;
  return (
    <div class="files" role="group" aria-label={w.files}>
      {s.files.value.map((f, i) => (
        <span key={i} class={i === s.activeFile.value ? 'file on' : 'file'}>
          {renaming === i
            ? <Rename name={f.name} done={(name) => { rename(-1); if (name) renameFile(i, name); }} />
            : <button type="button" class="mono" aria-pressed={i === s.activeFile.value} title={`${w.rename}: F2`}
                onClick={() => { s.activeFile.value = i; }} onDblClick={() => rename(i)}
                onKeyDown={(e) => { if (e.key === 'F2') rename(i); }}>{f.name}</button>}
          {i === s.activeFile.value && renaming !== i && <Tool icon="edit" label={`${w.rename} ${f.name}`} onClick={() => rename(i)} />}
          {many && i === s.activeFile.value && <Tool icon="close" label={`${w.removeFile} ${f.name}`} onClick={() => removeFile(i)} />}
        </span>
      ))}
      <Tool icon="plus" label={w.addFile} onClick={addFile} />
    </div>
  );
}

function Tool({ icon, label, onClick }: { icon: 'edit' | 'close' | 'plus'; label: string; onClick: () => void }) {
  return <button type="button" class="quiet tool" aria-label={label} title={label} onClick={onClick}><Icon name={icon} /></button>;
}

function Rename({ name, done }: { name: string; done: (name: string) => void }) {
  return (
    <input class="mono" aria-label={s.words.value.fileName} defaultValue={name} size={Math.max(8, name.length)} ref={(el) => el?.focus()}
      onBlur={(e) => done(e.currentTarget.value)}
      onKeyDown={(e) => {
        if (e.key === 'Enter') e.currentTarget.blur();
        if (e.key === 'Escape') done('');
      }} />
  );
}
