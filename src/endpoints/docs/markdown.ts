/** Markdown as HTML: the pages of the folder `docs`, and the descriptions in the OpenAPI document. */
import MarkdownIt, { type Token } from 'markdown-it';

/** A page that a link leads to here. */
export interface LinkTarget {
  readonly href: string;
  /** What the link says where its text is the name of a file. */
  readonly title?: string;
}

/** Where a link of a page leads to; null where there is no such page. */
export type LinkTo = (href: string) => LinkTarget | null;

const NOWHERE: LinkTo = () => null;

/** The ID of a heading, as GitHub makes it: links between the pages of the folder `docs` use it. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

/** @param linkTo by default only links to the web are kept */
export function markdownHtml(text: string, linkTo: LinkTo = NOWHERE): string {
  const markdown = new MarkdownIt({ html: false, linkify: false });
  markdown.core.ruler.push('links', ({ tokens }) => {
    for (const [at, token] of tokens.entries()) {
      const { content = '' } = tokens[at + 1] ?? {};
      if (token.type === 'heading_open') token.attrSet('id', slugOf(content.replaceAll('`', '')));
      linkWithin(token.children ?? [], linkTo);
    }
  });
  // A table may be wider than a small screen, and is reached by keyboard to be moved.
  return markdown
    .render(text.replace(/^<!--.*-->\s*/, ''))
    .replaceAll('<table>', '<div class="wide" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<pre>', '<pre tabindex="0">');
}

/** Gives the links among these tokens their addresses; of those without one, and of pictures, nothing is left. */
function linkWithin(children: readonly Token[], linkTo: LinkTo): void {
  const kept: boolean[] = [];
  for (const [at, child] of children.entries()) {
    if (child.type === 'link_open') {
      const given = child.attrGet('href') ?? '';
      const target: LinkTarget | null = /^(?:https?:|#)/.test(given)
        ? { href: given }
        : linkTo(given);
      kept.push(target !== null);
      child.attrSet('href', target?.href ?? '');
      const text = children[at + 1];
      if (target?.title && text && /\.md$/.test(text.content)) text.content = target.title;
    }
    // Pictures are of the panel.
    if (child.type === 'image') Object.assign(child, NO_LINK);
    const isKept = child.type === 'link_close' ? kept.pop() : kept.at(-1);
    if (/^link_/.test(child.type) && isKept === false) Object.assign(child, NO_LINK);
  }
}

/** A token of which nothing is left. */
const NO_LINK = { type: 'text', tag: '', content: '' } as const;
