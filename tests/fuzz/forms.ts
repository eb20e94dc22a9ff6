import sharp from 'sharp';
import { asObject, parsed, type Json } from '../helpers/json';
import type { Request } from '../helpers/http';
import { withPngChunk } from '../helpers/image-bytes';
import { formOf } from '../helpers/upload';
import type { FormFile } from './shot';

export interface Forms {
  /** A request whose JSON is the fields of a form, as that form with a file. */
  withFile(request: Request, file: FormFile): Request;
}

/** Photographs that differ from each other by a text in them. */
export async function createForms(seed: number): Promise<Forms> {
  const background = { r: 90, g: 120, b: 40 };
  const photograph = await sharp({ create: { width: 24, height: 16, channels: 3, background } })
    .png()
    .toBuffer();
  let made = 0;
  const another = (): Buffer => {
    made += 1;
    return withPngChunk(photograph, 'tEXt', Buffer.from(`Comment\0${seed} ${made}`));
  };
  const files: Readonly<Record<FormFile, () => Buffer | undefined>> = {
    'a photograph': another,
    'a broken photograph': () => another().subarray(0, -30),
    'a text': () => Buffer.from('not a photograph'),
    nothing: () => undefined,
  };
  return {
    withFile(request, file) {
      const given: Json = asObject(parsed(String(request.raw ?? '{}')));
      // A part of a form is a text: what is null has none.
      const fields = Object.fromEntries(
        Object.entries(given).filter(([name, value]) => name !== 'file' && value !== null),
      );
      const bytes = files[file]();
      const { raw, type } = formOf({ fields, ...(bytes ? { bytes } : {}) });
      return { ...request, raw, headers: { ...request.headers, 'Content-Type': type } };
    },
  };
}
