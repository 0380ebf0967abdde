// The YAML editor. It lives in a shadow root, because there CodeMirror puts its
// styles into constructed sheets, which a policy without 'unsafe-inline' allows.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import type { File, Mark } from '../protocol';
import { completer, type Ask } from './completion';
import { diagnosticsOf } from './diagnostics';
import { theme } from './theme';
import { typingOver } from './typing';

export interface Hooks {
  readonly changed: (index: number, text: string) => void;
  readonly run: () => void;
  readonly leave: () => void;
  readonly ask: Ask;
  readonly label: string;
}

export class Editor {
  private readonly view: EditorView;
  private states: EditorState[] = [];
  private at = 0;
  private quiet = false;

  constructor(host: HTMLElement, private readonly hooks: Hooks) {
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    this.view = new EditorView({ parent: root, root, state: this.fresh('') });
  }

  destroy(): void {
    this.view.destroy();
  }

  focus(): void {
    this.view.focus();
  }

  /** Replaces all files; each gets a history of its own. */
  load(files: readonly File[], active: number): void {
    this.states = files.map((f) => this.fresh(f.text));
    this.at = active;
    this.put(this.states[active] ?? this.fresh(''));
  }

  /** Shows another file and keeps what was done in the one before. */
  show(active: number): void {
    if (active === this.at || !this.states[active]) return;
    this.states[this.at] = this.view.state;
    this.at = active;
    this.put(this.states[active]!);
  }

  mark(marks: readonly Mark[], file: string): void {
    this.view.dispatch(setDiagnostics(this.view.state, diagnosticsOf(this.view.state.doc, marks, file)));
  }

  goTo(line: number, column: number): void {
    const l = this.view.state.doc.line(Math.max(1, Math.min(line, this.view.state.doc.lines)));
    const pos = Math.min(l.to, l.from + Math.max(0, column - 1));
    this.view.dispatch({ selection: { anchor: pos }, effects: EditorView.scrollIntoView(pos, { y: 'center' }) });
    this.view.focus();
  }

  private put(state: EditorState): void {
    this.quiet = true;
    this.view.setState(state);
    this.quiet = false;
  }

  private fresh(doc: string): EditorState {
    return EditorState.create({ doc, extensions: this.extensions() });
  }

  private extensions(): Extension {
    return [
      lineNumbers(), lintGutter(), highlightActiveLine(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(),
      indentUnit.of('  '), EditorState.tabSize.of(2), bracketMatching(), closeBrackets(), highlightSelectionMatches(), yaml(), theme, typingOver,
      autocompletion({ override: [completer((a, k, p) => this.hooks.ask(a, k, p))] }),
      EditorView.contentAttributes.of({ 'aria-label': this.hooks.label, tabindex: '0', spellcheck: 'false', autocorrect: 'off', autocapitalize: 'off' }),
      keymap.of([
        { key: 'Mod-Enter', run: () => { this.hooks.run(); return true; } },
        ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap, ...historyKeymap, ...lintKeymap, indentWithTab, ...defaultKeymap,
        { key: 'Escape', run: () => { this.hooks.leave(); return true; } },
      ]),
      EditorView.updateListener.of((u) => {
        if (u.docChanged && !this.quiet) this.hooks.changed(this.at, u.state.doc.toString());
      }),
    ];
  }
}
