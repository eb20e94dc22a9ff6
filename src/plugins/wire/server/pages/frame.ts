/** Pages of the service's own: plain HTML without scripts. */
import { hash } from 'node:crypto';

const STYLE = `
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 28rem; margin: 3rem auto; padding: 0 1rem; color: #212134; }
  h1 { font-size: 1.4rem; }
  label { display: block; margin-top: 1rem; font-weight: 600; }
  input { display: block; width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #666687; border-radius: 4px; }
  input[aria-invalid] { border-color: #b72b1a; }
  .fault { color: #b72b1a; margin: .25rem 0 0; }
  button { margin-top: 1.5rem; padding: .6rem 1.2rem; font: inherit; font-weight: 600; color: #fff; background: #3d3acd; border: 0; border-radius: 4px; }
`;

const styleHash = hash('sha256', STYLE, 'base64');

/** Headers of every page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/** Texts by the name of an input: what was typed, or its error. */
export type PageInputs = Readonly<Record<string, string>>;

export interface Input {
  readonly name: string;
  readonly label: string;
  /** HTML. */
  readonly attributes: string;
}

export interface PageForm {
  readonly action: string;
  /** Sent in the body. */
  readonly token: string;
  readonly inputs: readonly Input[];
  /** The text of the button. */
  readonly submit: string;
}

/** A form with what was typed, except passwords, and the errors by input; `''` stands for the whole form. */
export const formHtml = (form: PageForm, typed: PageInputs, faults: PageInputs): string[] => [
  ...(faults[''] ? [`<p class="fault" role="alert">${escaped(faults[''])}</p>`] : []),
  `<form method="post" action="${escaped(form.action)}">`,
  `<input type="hidden" name="token" value="${escaped(form.token)}">`,
  ...form.inputs.map((input) => inputHtml(input, typed, faults[input.name])),
  `<button type="submit">${escaped(form.submit)}</button>`,
  '</form>',
];

function inputHtml({ name, label, attributes }: Input, typed: PageInputs, fault?: string): string {
  const isSecret = name.startsWith('password');
  const value = isSecret ? '' : ` value="${escaped(typed[name] ?? '')}"`;
  const state = fault === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-fault"`;
  const told =
    fault === undefined ? '' : `<p class="fault" id="${name}-fault">${escaped(fault)}</p>`;
  return `<label for="${name}">${escaped(label)}</label><input id="${name}" name="${name}" ${attributes} required${value}${state}>${told}`;
}

export const paragraph = (text: string): string => `<p>${escaped(text)}</p>`;

/**
 * @param language BCP 47
 * @param title text, not HTML
 * @param body HTML
 */
export const pageHtml = (language: string, title: string, body: readonly string[]): string =>
  `<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
${body.join('\n')}
</main>
</body>
</html>
`;

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
