/** The page by which the first administrator is made: plain HTML, which asks for no script. */
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

/** With every answer of the page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

/** The inputs of the form, by their names. */
export type Inputs = Readonly<Record<string, string>>;

interface Input {
  readonly name: string;
  readonly label: string;
  readonly attributes: string;
}

const INPUTS: readonly Input[] = [
  { name: 'name', label: 'Name', attributes: 'type="text" autocomplete="name" maxlength="120"' },
  {
    name: 'email',
    label: 'E-mail',
    attributes: 'type="email" autocomplete="username" maxlength="254"',
  },
  {
    name: 'password',
    label: 'Password, 10 characters or more',
    attributes: 'type="password" autocomplete="new-password"',
  },
  {
    name: 'password_again',
    label: 'The password once more',
    attributes: 'type="password" autocomplete="new-password"',
  },
];

/** The form, with what has been typed (but for passwords) and what is wrong with it. */
export function formPage(path: string, token: string, typed: Inputs, faults: Inputs): string {
  const inputs = INPUTS.map((input) => inputHtml(input, typed, faults[input.name]));
  const general = faults[''] ? [`<p class="fault" role="alert">${escaped(faults[''])}</p>`] : [];
  return page('The first administrator', [
    '<p>This service has no administrator yet. Whoever fills in this form becomes it; afterwards the link is worth nothing.</p>',
    ...general,
    `<form method="post" action="${escaped(path)}">`,
    `<input type="hidden" name="token" value="${escaped(token)}">`,
    ...inputs,
    '<button type="submit">Make the account</button>',
    '</form>',
  ]);
}

function inputHtml({ name, label, attributes }: Input, typed: Inputs, fault?: string): string {
  const isSecret = name.startsWith('password');
  const value = isSecret ? '' : ` value="${escaped(typed[name] ?? '')}"`;
  const state = fault === undefined ? '' : ` aria-invalid="true" aria-describedby="${name}-fault"`;
  const told =
    fault === undefined ? '' : `<p class="fault" id="${name}-fault">${escaped(fault)}</p>`;
  return `<label for="${name}">${label}</label><input id="${name}" name="${name}" ${attributes} required${value}${state}>${told}`;
}

export const donePage = (): string =>
  page('The account is made', [
    '<p>Sign in to the panel with this e-mail and password: <a href="/admin">to the panel</a>.</p>',
  ]);

/** The same for a secret that is made up, used, or of an earlier start. */
export const noPage = (): string =>
  page('This link is not valid', [
    '<p>It has been used, a later start of the service has printed another one, or it was never valid.</p>',
  ]);

export const failedPage = (): string =>
  page('That did not work', ['<p>Nothing was made. Try again in a moment.</p>']);

function page(title: string, body: readonly string[]): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body.join('\n')}
</main>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? '');
