import type { Client } from './client.js';
import { failureOf } from './failure.js';
import { newId } from './ids.js';
import { persistently, type RetryOptions } from './retry.js';
import type { Send } from './transport.js';
import type { Schemas } from './types.js';

export interface UploadOptions extends RetryOptions {
  /** The other fields of the asset: `alt_text`, `license`, `rights_holder`, ... */
  readonly fields?: Omit<Schemas['AssetForm'], 'file' | 'id' | 'claim'>;
  /** The ID of the new asset, by default a new one. The same upload sent again makes no second asset. */
  readonly id?: string;
  /** Of an upload without an account: the claim by which a report may show it (`newClaim()`). */
  readonly claim?: string;
  /** Called as bytes leave, but in a service worker; `total` is the size of the whole request. */
  readonly onProgress?: (progress: { readonly loaded: number; readonly total: number }) => void;
}

/** An uploaded photograph. */
export interface Uploaded {
  readonly id: string;
  /** Where its bytes are, below the address of the service. */
  readonly path: string;
  /** The claim that was given. */
  readonly claim: string | null;
  /** False where it was there already: by an earlier try, or since its owner has uploaded the same bytes before. */
  readonly isNew: boolean;
}

/**
 * Uploads a photograph, and sends it again after a lost answer.
 *
 * @param file with its name, if it is a `File`
 * @throws Failure CLIENT_CANCELED by `signal`, and the refusals of the call
 */
export async function upload(
  client: Client,
  file: Blob,
  { id = newId(), claim, fields = {}, onProgress, ...retry }: UploadOptions = {},
): Promise<Uploaded> {
  const form = formOf(file, { ...fields, id, claim });
  const pathOf = (asset: string): string => `/api/v0/asset/${asset}/file`;
  const send = sendWith(client.fetch, onProgress ?? (() => undefined));
  try {
    const { response } = await persistently(
      () =>
        client.answerTo(
          client.http.POST('/api/v0/asset', {
            body: { file: '' },
            bodySerializer: () => form,
            fetch: client.sending(send),
            signal: retry.signal,
          }),
        ),
      retry,
    );
    return { id: response.id, path: response.path, claim: claim ?? null, isNew: true };
  } catch (error) {
    const failure = failureOf(error);
    if (failure.key !== 'API_RESPONSE_ENTITY_EXISTS' || failure.args.id === undefined)
      throw failure;
    const { id: existing } = failure.args;
    return { id: existing, path: pathOf(existing), claim: claim ?? null, isNew: false };
  }
}

/** The form of an upload. What is no text is JSON in it. */
function formOf(file: Blob, fields: Readonly<Record<string, unknown>>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  form.set('file', file);
  return form;
}

type Progress = NonNullable<UploadOptions['onProgress']>;

/** `fetch` tells no page how much of a request has left, `XMLHttpRequest` does; Node takes a stream, which can be watched. */
function sendWith(given: typeof fetch, onProgress: Progress): Send {
  if (typeof XMLHttpRequest !== 'undefined') return sendFromPage(onProgress);
  if ('ServiceWorkerGlobalScope' in globalThis)
    return (request, signal) => given(request, { signal });
  return sendAsStream(given, onProgress);
}

const sendFromPage =
  (onProgress: Progress): Send =>
  async (request, signal, alive) => {
    const body = await request.blob();
    return new Promise((resolve, reject) => {
      const sent = new XMLHttpRequest();
      sent.open(request.method, request.url);
      sent.withCredentials = request.credentials === 'include';
      sent.responseType = 'blob';
      request.headers.forEach((value, name) => sent.setRequestHeader(name, value));
      sent.upload.onprogress = ({ loaded, total }) => {
        alive();
        onProgress({ loaded, total });
      };
      sent.onload = () => resolve(responseOf(sent));
      sent.onerror = sent.onabort = () => reject(new TypeError('the connection failed'));
      signal.addEventListener('abort', () => sent.abort());
      if (signal.aborted) reject(new TypeError('canceled'));
      else sent.send(body);
    });
  };

const sendAsStream =
  (given: typeof fetch, onProgress: Progress): Send =>
  async (request, signal, alive) => {
    const { url, method, headers, credentials } = request;
    const body = await request.arrayBuffer();
    const total = body.byteLength;
    let loaded = 0;
    const watched = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        loaded += chunk.byteLength;
        alive();
        onProgress({ loaded, total });
        controller.enqueue(chunk);
      },
    });
    const streamed = { body: inChunks(body).pipeThrough(watched), duplex: 'half' as const };
    return given(new Request(url, { method, headers, credentials, signal, ...streamed }));
  };

const CHUNK = 64 * 1024;

function inChunks(bytes: ArrayBuffer): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) return controller.close();
      controller.enqueue(new Uint8Array(bytes.slice(at, at + CHUNK)));
      at += CHUNK;
    },
  });
}

function responseOf(sent: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of sent.getAllResponseHeaders().trim().split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(sent.response as Blob, { status: sent.status, headers });
}
