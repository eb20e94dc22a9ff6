/** What photographs cost: uploads beside the decoder alone, renditions beside a bare file server, reads beside uploads. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import {
  RENDITION_NAMES,
  type RenditionName,
} from '../src/plugins/objects/server/kinds/renditions';
import { decode } from '../src/plugins/assets/server/images/decode';
import { startContender, type Contender } from './contenders/contender';
import type { Dataset } from './data/dataset';
import { load, type NextCall } from './load';
import { measure, type Plan } from './measure';
import type { AssetsResult } from './result';
import type { Theater } from './stage';
import { median, percentile } from './statistics';

/** Uploads under way at once, and images that the decoder alone has under way: as many as cores. */
const UPLOADS = 4;
const DECODED = 2;

const [WIDTH, HEIGHT] = [4000, 3000];

/** Measures it with `first`'s records. @param plan of which the connections count for the reads */
export async function measureAssets(
  { cleanup, folder }: Theater,
  first: Dataset,
  plan: Plan,
): Promise<AssetsResult> {
  const place = await first.place.copy();
  cleanup.add(() => place.drop());
  const photograph = await noisyPhotograph();
  const contender = await startContender('ours', place.env);
  cleanup.add(() => contender.stop());
  const files = await startContender('files', place.env);
  cleanup.add(() => files.stop());
  const scratch = mkdtempSync(join(folder, 'decoded-'));
  cleanup.add(() => Promise.resolve(rmSync(scratch, { recursive: true, force: true })));

  const upload = uploadOf(photograph);
  const id = await firstUpload(contender, upload);
  const key = String((await place.rows('select file_key from assets'))[0]?.[0]);
  const read: NextCall = () => ({ method: 'GET', path: `/api/v0/asset/${id}/file?size=small` });
  const bare: NextCall = () => ({ method: 'GET', path: `/${key}-small.webp` });
  const renditions = await measure(
    'a rendition',
    [
      { name: 'ours', contender, next: read },
      { name: 'files', contender: files, next: bare },
    ],
    plan,
  );
  await files.stop();
  const uploads = await measureUploads(contender, upload, read, photograph, scratch, plan);
  await contender.stop();
  return { bytes: photograph.length, renditions, ...uploads };
}

type Uploads = Omit<AssetsResult, 'bytes' | 'renditions'>;

async function measureUploads(
  { url }: Contender,
  upload: NextCall,
  read: NextCall,
  photograph: Buffer,
  scratch: string,
  { connections, rounds, seconds, signal, progress }: Plan,
): Promise<Uploads> {
  const [decoded, uploaded, alone, during]: number[][] = [[], [], [], []];
  for (let round = 0; round < rounds; round += 1) {
    signal.throwIfAborted();
    progress(`assets: uploads, ${round + 1} of ${rounds}`);
    decoded?.push(await decodeAlone(photograph, scratch, seconds));
    const done = await load(url, upload, { connections: UPLOADS, seconds });
    uploaded?.push(done.requests / done.seconds);
    const reads = await load(url, read, { connections, seconds });
    alone?.push(percentile(reads.latencies, 0.99));
    const [, beside] = await Promise.all([
      load(url, upload, { connections: UPLOADS, seconds }),
      load(url, read, { connections, seconds }),
    ]);
    during?.push(percentile(beside.latencies, 0.99));
  }
  return {
    decoded: decoded ?? [],
    uploaded: uploaded ?? [],
    readsAlone: median(alone ?? []),
    readsDuringUploads: median(during ?? []),
  };
}

/** A photograph of some 5 MB: a camera's noise is what makes it large. */
/** A photograph of 12 megapixels, which compresses as badly as one of grass. */
export const noisyPhotograph = (): Promise<Buffer> =>
  sharp({
    create: {
      width: WIDTH,
      height: HEIGHT,
      channels: 3,
      background: { r: 120, g: 130, b: 90 },
      noise: { type: 'gaussian', mean: 128, sigma: 22 },
    },
  })
    .jpeg({ quality: 86 })
    .toBuffer();

/** The same photograph, each time with other bytes appended: the same bytes of one owner are refused. */
function uploadOf(photograph: Buffer): NextCall {
  const boundary = 'photograph';
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="photo.jpg"\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  return () => ({
    method: 'POST',
    path: '/api/v0/asset',
    headers,
    body: Buffer.concat([head, photograph, randomBytes(16), tail]),
  });
}

async function firstUpload({ url }: Contender, upload: NextCall): Promise<string> {
  let id = '';
  let isSent = false;
  const next: NextCall = (connection) => {
    const call = isSent ? null : upload(connection);
    isSent = true;
    return call && { ...call, done: (body) => (id = idIn(body)) };
  };
  await load(url, next, { connections: 1 });
  return id;
}

const idIn = (body: string): string =>
  (JSON.parse(body) as { response: { id: string } }).response.id;

/** Images per second with nothing around them: the same steps, in this process. */
async function decodeAlone(photograph: Buffer, scratch: string, seconds: number): Promise<number> {
  const file = join(scratch, 'photo.jpg');
  writeFileSync(file, photograph);
  const start = performance.now();
  const end = start + seconds * 1000;
  let count = 0;
  const keepDecoding = async (worker: number): Promise<void> => {
    const renditions = Object.fromEntries(
      RENDITION_NAMES.map((name) => [name, join(scratch, `${worker}-${name}.webp`)]),
    ) as Record<RenditionName, string>;
    while (performance.now() < end) {
      const { ok } = await decode({ file, renditions }, () => undefined);
      if (!ok) throw new Error('the decoder takes the photograph for none');
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: DECODED }, (_, worker) => keepDecoding(worker)));
  return (count * 1000) / (performance.now() - start);
}
