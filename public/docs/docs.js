// @ts-check
/** The forms of the documentation: who is logged in, and calls that are tried. Calls go to this origin alone. */

const API = '/api/v0';

/** The characters of an answer that are shown. */
const MAX_SHOWN = 100_000;

/** @type {Promise<Record<string, string>> | null} */
let texts = null;

/** The texts of messages in the language of the browser. */
const messageTexts = () =>
  (texts ??= fetch(
    `/locales/${['en', 'es', 'fr'].find((one) => navigator.language.startsWith(one)) ?? 'en'}/translation.json`,
  ).then((answer) => answer.json()));

/** A message as a reader sees it: with its arguments, and the texts that it refers to. @param {{key: string, args: Record<string, unknown>}} message */
async function messageText({ key, args }) {
  const known = await messageTexts();
  return (known[key] ?? key)
    .replace(/\{\{(\w+)\}\}/g, (all, name) => String(args[name] ?? all))
    .replace(/\$t\((\w+)\)/g, (_, name) => known[name] ?? name);
}

/** @param {string} name @param {string} [text] */
function element(name, text = '') {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/** @param {string} path @param {object} [body] */
const post = (path, body = {}) =>
  fetch(API + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** What stands in examples for the ID of who is logged in. */
let ownId = '<id>';

async function showSession() {
  const place = document.getElementById('account');
  if (!place) return;
  const answer = await fetch(`${API}/session`);
  ownId = '<id>';
  if (!answer.ok) return place.replaceChildren(loginForm());
  const { response } = await answer.json();
  ownId = response.user.id;
  const line = element('p', `Logged in as ${response.user.name} (${response.user.role}) `);
  line.append(element('code', ownId), ' ');
  const button = element('button', 'Log out');
  button.addEventListener('click', async () => {
    await post('/logout');
    await showSession();
  });
  line.append(button);
  place.replaceChildren(line);
}

function loginForm() {
  const form = document.createElement('form');
  /** @param {string} name @param {string} label @param {string} type @param {string} autocomplete */
  const input = (name, label, type, autocomplete) => {
    const field = document.createElement('input');
    Object.assign(field, { name, type, autocomplete, required: true });
    const labelled = element('label', label);
    labelled.append(field);
    return labelled;
  };
  const fault = element('p');
  fault.className = 'fault';
  fault.setAttribute('role', 'alert');
  form.append(
    input('username', 'E-mail or username', 'text', 'username'),
    input('password', 'Password', 'password', 'current-password'),
    element('button', 'Log in'),
    fault,
  );
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const answer = await post('/login', Object.fromEntries(new FormData(form)));
    if (answer.ok) return showSession();
    const { message } = await answer.json();
    fault.textContent = await messageText(message);
  });
  return form;
}

/** What a form asks for. @param {HTMLFormElement} form */
function requestOf(form) {
  const { method = 'GET', path = '', multipart } = form.dataset;
  /** @param {string} name */
  const valueOf = (name) => {
    const field = form.elements.namedItem(name);
    return field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement
      ? field.value.trim()
      : '';
  };
  /** @type {Record<string, string>} */
  const headers = {};
  for (const { name } of /** @type {Iterable<HTMLInputElement>} */ (form.elements))
    if (name.startsWith('header-') && valueOf(name) !== '')
      headers[name.replace('header-', '')] = valueOf(name);
  const query = valueOf('query').replace(/^\?/, '');
  const target = path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(valueOf(`path-${name}`)),
  );
  const url = query === '' ? target : `${target}?${query}`;
  const hasBody = form.elements.namedItem('body') !== null;
  if (multipart !== undefined)
    return { url, method, headers, body: formData(form, valueOf('body')) };
  if (!hasBody) return { url, method, headers };
  const body = valueOf('body') || '{}';
  return { url, method, headers: { ...headers, 'Content-Type': 'application/json' }, body };
}

/** @param {HTMLFormElement} form @param {string} fields */
function formData(form, fields) {
  const data = new FormData();
  const file = form.elements.namedItem('file');
  if (file instanceof HTMLInputElement && file.files?.[0]) data.set('file', file.files[0]);
  for (const [name, value] of Object.entries(JSON.parse(fields || '{}')))
    data.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return data;
}

/** @param {SubmitEvent} event */
async function tryCall(event) {
  event.preventDefault();
  const form = /** @type {HTMLFormElement} */ (event.target);
  const result = form.nextElementSibling;
  if (!result) return;
  try {
    const { url, ...request } = requestOf(form);
    if (request.method === 'DELETE' && !confirm(`DELETE ${url}`)) return;
    const started = performance.now();
    const answer = await fetch(url, request);
    const took = Math.round(performance.now() - started);
    const line = element('p', `${answer.status} after ${took} ms: ${request.method} ${url}`);
    result.replaceChildren(line, ...(await shown(answer)));
    if (/\/(login|logout)$/.test(url)) await showSession();
  } catch (error) {
    const line = element('p', error instanceof Error ? error.message : String(error));
    line.className = 'fault';
    result.replaceChildren(line);
  }
}

/** @param {Response} answer */
async function shown(answer) {
  const type = answer.headers.get('Content-Type') ?? '';
  if (type.startsWith('image/')) {
    const image = document.createElement('img');
    image.alt = 'What was answered';
    image.src = URL.createObjectURL(await answer.blob());
    return [image];
  }
  const text = await answer.text();
  const json = type.startsWith('application/json') && text !== '' ? JSON.parse(text) : null;
  const pre = element('pre');
  pre.tabIndex = 0;
  pre.append(element('code', (json ? JSON.stringify(json, null, 2) : text).slice(0, MAX_SHOWN)));
  return json?.message ? [element('p', await messageText(json.message)), pre] : [pre];
}

/** A link to a call with a query: the form of the call will ask that. @param {MouseEvent} event */
function keepQuery(event) {
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const [, query] = /\?(\S+)$/.exec(link?.textContent ?? '') ?? [];
  if (link && query) sessionStorage.setItem(link.hash, query);
}

/** The query of the link that led here, with the own ID. */
function fillQuery() {
  const { hash } = location;
  const query = sessionStorage.getItem(hash);
  const field = document.getElementById(`${hash.slice(1)}-query`);
  if (query === null || !(field instanceof HTMLInputElement)) return;
  sessionStorage.removeItem(hash);
  field.value = query.replace('<id>', ownId);
  const form = field.closest('details');
  if (form) form.open = true;
}

document.addEventListener('click', keepQuery);
addEventListener('hashchange', fillQuery);

document.addEventListener('submit', (event) => {
  if (event.target instanceof HTMLFormElement && event.target.closest('.try')) void tryCall(event);
});
const pages = document.getElementById('pages');
// Beside the text there is room for them.
if (pages instanceof HTMLDetailsElement) pages.open = matchMedia('(min-width: 62rem)').matches;
void showSession().then(fillQuery);
