/** What a page of a frontend does with the client: the test bundles this for the browser, and calls it there. */
import {
  createClient,
  createReports,
  faultsByPath,
  isFailure,
  loadMessages,
  newClaim,
  upload,
  type Client,
} from '@oms/client';
import { createOutbox, type Outbox } from '@oms/client/outbox';

let client: Client;
let ended = 0;

const keyOf = (error: unknown): string => (isFailure(error) ? error.key : String(error));

/** A photograph of noise, which no other one is like. */
async function photograph(side = 64): Promise<File> {
  const canvas = new OffscreenCanvas(side, side);
  const context = canvas.getContext('2d');
  const image = context?.createImageData(side, side);
  if (!context || !image) throw new Error('no canvas');
  for (let at = 0; at < image.data.length; at += 1) image.data[at] = Math.random() * 256;
  context.putImageData(image, 0, 0);
  const blob = await canvas.convertToBlob({ type: 'image/jpeg', quality: 1 });
  return new File([blob], 'photo.jpg', { type: 'image/jpeg' });
}

const outboxOf = async (account: string | null): Promise<Outbox> =>
  Promise.resolve(createOutbox(client, { account }));

const page = {
  connect(baseUrl: string, session: 'cookie' | 'bearer') {
    // Longer than any test: no connection is silent here, and an answer that is late has a photograph sent twice.
    const timeout = 300_000;
    client = createClient({ baseUrl, session, timeout, onSessionEnded: () => (ended += 1) });
  },
  async logIn(username: string, password: string) {
    return (await client.logIn(username, password)).id;
  },
  async whoAmI() {
    return (await client.whoAmI())?.user.id ?? null;
  },
  logOut: () => client.logOut(),
  hasCookieOnly: () => client.sessionSecret === null && document.cookie === '',
  /** The key with which a report is refused, and how often the end of the session was told. */
  async report() {
    const call = client.http.POST('/api/v0/encounter', { body: { sex: 'male' } });
    return [await client.answerTo(call).then(() => 'made', keyOf), ended];
  },
  /** Reads an encounter three times. */
  async readAgain() {
    const made = await client.answerTo(client.http.POST('/api/v0/encounter', { body: {} }));
    const params = { path: { id: made.response.id } };
    const read = async (): Promise<string> => {
      const answer = await client.http.GET('/api/v0/encounter/{id}', { params });
      return JSON.stringify(answer.data?.response);
    };
    return new Set([await read(), await read(), await read()]).size;
  },
  /** Uploads a large photograph. @returns the shares of it that were told, and what it is as an asset */
  async upload() {
    const file = await photograph(1200);
    const told: number[] = [];
    const uploaded = await upload(client, file, {
      fields: { alt_text: { en: 'Noise' } },
      onProgress: ({ loaded, total }) => told.push(loaded / total),
    });
    const params = { path: { id: uploaded.id } };
    const { response } = await client.answerTo(client.http.GET('/api/v0/asset/{id}', { params }));
    return { told, size: response.size, expected: file.size, isNew: uploaded.isNew };
  },
  async cancelUpload() {
    const ending = new AbortController();
    const options = { signal: ending.signal, onProgress: () => ending.abort() };
    return upload(client, await photograph(1200), options).then(() => 'sent', keyOf);
  },
  async refusedUpload() {
    const messages = await loadMessages(client, ['fr']);
    const error: unknown = await upload(client, new Blob(['no image'])).catch(
      (one: unknown) => one,
    );
    const [fault] = faultsByPath(error).get('file') ?? [];
    return fault && messages.text(fault);
  },
  /** Sends a report without an account once. */
  async sendReport() {
    const reports = createReports(client);
    const claimed = await upload(client, await photograph(), { claim: newClaim() });
    const once = { tries: 1 };
    return reports.send({ sex: 'male' }, [claimed], once).then(() => 'sent', keyOf);
  },
  async resumeReports() {
    const reports = createReports(client);
    const outcomes = await reports.resume();
    const [report] = reports.list();
    return { outcomes, state: report && (await reports.read(report)).state, id: report?.id };
  },
  adoptReports: () => createReports(client).adopt(),
  /** Keeps encounters with a photograph each. */
  async queue(account: string | null, count: number) {
    const outbox = await outboxOf(account);
    const ids: string[] = [];
    for (let made = 0; made < count; made += 1)
      ids.push(await outbox.create('encounter', {}, [{ file: await photograph() }]));
    return ids;
  },
  async queued(account: string | null) {
    return (await (await outboxOf(account)).items()).map(({ id }) => id);
  },
  async send(account: string | null) {
    const { sent, left, stoppedBy } = await (await outboxOf(account)).send();
    const why = stoppedBy === null || stoppedBy === 'another account' ? stoppedBy : stoppedBy.key;
    return { sent: sent.length, left: left.length, why };
  },
  /** How many photographs an encounter shows. */
  async photographsOf(id: string) {
    const call = client.http.GET('/api/v0/encounter/{id}', { params: { path: { id } } });
    return (await client.answerTo(call)).response.assets?.length;
  },
};

export type ClientPage = typeof page;

Object.assign(globalThis, { client: page });
