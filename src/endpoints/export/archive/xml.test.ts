import { element, escapeXml } from './xml';

test.each([
  ['a < b & "c" > \'d\'', 'a &lt; b &amp; &quot;c&quot; &gt; &apos;d&apos;'],
  ['tab\tand\nline', 'tab\tand\nline'],
  ['\u0000a\u0008b\u001fc\uFFFEd\uFFFF', 'abcd'],
  ['lone \uD800 surrogate \uDC00', 'lone  surrogate '],
  ['🦓 Équus 斑马', '🦓 Équus 斑马'],
  [']]>', ']]&gt;'],
])('%j is written as %j', (text, escaped) => {
  expect(escapeXml(text)).toBe(escaped);
});

test('an element has its text escaped', () => {
  expect(element('title', 'A & B')).toBe('<title>A &amp; B</title>');
});
