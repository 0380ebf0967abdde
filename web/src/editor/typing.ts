// Typing over a selection. Left to itself, Chromium keeps the look of what was
// there with inline styles, which the page's policy forbids and reports.
import { EditorView } from '@codemirror/view';

export const typingOver = EditorView.domEventHandlers({
  beforeinput(e, view) {
    const text = e.data;
    const { from, to, empty } = view.state.selection.main;
    if (e.inputType !== 'insertText' || text === null || view.composing) return false;
    if (view.state.selection.ranges.length > 1 || (empty && !text.includes('\n'))) return false;
    e.preventDefault();
    const insert = () => view.state.update(view.state.replaceSelection(text), { userEvent: 'input.type', scrollIntoView: true });
    const handled = view.state.facet(EditorView.inputHandler).some((h) => h(view, from, to, text, insert));
    if (!handled) view.dispatch(insert());
    return true;
  },
});
