// How the editor looks: the page's own tokens, so that it follows every theme.
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorView } from '@codemirror/view';
import { tags as t } from '@lezer/highlight';

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'transparent', fontSize: 'var(--size-14)' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5', overflow: 'auto' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 16px 0 8px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--select)' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--muted)', border: 'none', fontSize: 'var(--size-12)' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 8px 0 12px', minWidth: '40px', lineHeight: '21px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--line-here)' },
  '.cm-matchingBracket': { outline: '1px solid var(--hairline)', backgroundColor: 'transparent' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--ink)', border: '1px solid var(--edge)', fontSize: 'var(--size-12)', maxWidth: '420px' },
  '.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', maxHeight: '216px' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent)', color: 'var(--on-accent)' },
  '.cm-completionDetail': { color: 'inherit', fontStyle: 'normal', marginLeft: '12px', opacity: '0.8' },
  '.cm-diagnostic': { padding: '4px 8px', borderLeft: '3px solid var(--failed)', fontFamily: 'var(--mono)', whiteSpace: 'pre-wrap' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--waiting)' },
  '.cm-diagnostic-info, .cm-diagnostic-hint': { borderLeftColor: 'var(--edge)' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--failed) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--waiting) 1px', textUnderlineOffset: '3px' },
  '.cm-lintRange-info, .cm-lintRange-hint': { backgroundImage: 'none', textDecoration: 'underline dotted var(--muted) 1px', textUnderlineOffset: '3px' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0' },
  '.cm-lint-marker': { width: '10px', height: '10px', margin: '6px 3px 0', content: 'none' },
  '.cm-lint-marker-error': { content: 'none', backgroundColor: 'var(--failed)', clipPath: 'polygon(30% 0, 70% 0, 100% 30%, 100% 70%, 70% 100%, 30% 100%, 0 70%, 0 30%)' },
  '.cm-lint-marker-warning': { content: 'none', border: '2px solid var(--waiting)', boxSizing: 'border-box', borderRadius: '50%' },
  '.cm-lint-marker-info': { content: 'none', border: '2px solid var(--muted)', boxSizing: 'border-box', borderRadius: '50%' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)', borderColor: 'var(--hairline)' },
  '.cm-panels.cm-panels-bottom': { borderTop: '1px solid var(--hairline)' },
  '.cm-textfield': { backgroundColor: 'var(--ground)', border: '1px solid var(--edge)', borderRadius: '0', fontSize: 'var(--size-12)', color: 'var(--ink)' },
  '.cm-button': { backgroundImage: 'none', backgroundColor: 'transparent', border: '1px solid var(--edge)', borderRadius: '0', fontSize: 'var(--size-12)', color: 'var(--ink)' },
  '.cm-searchMatch': { backgroundColor: 'transparent', outline: '1px solid var(--waiting)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--select)' },
  '.cm-placeholder': { color: 'var(--muted)' },
});

const colours = HighlightStyle.define([
  { tag: [t.propertyName, t.definition(t.propertyName)], color: 'var(--yaml-key)' },
  { tag: [t.string, t.special(t.string)], color: 'var(--yaml-text)' },
  { tag: [t.comment, t.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [t.meta, t.punctuation, t.separator, t.squareBracket, t.brace], color: 'var(--muted)' },
  { tag: [t.labelName, t.typeName], color: 'var(--waiting)' },
]);

export const theme = [look, syntaxHighlighting(colours)];
