/** Serves the pages of the documentation, and the style and script that they share. No path of a caller reaches the file system. */
import type { Core } from '@strapi/strapi';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { wireOf } from '../../plugins/wire/server';
import { keptPage } from '../../plugins/wire/server/pages/kept-page';
import { docsPages } from './pages';

/** Of these pages alone: they have a script of their own, which calls the interface of this service and no other host. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' blob:",
  ...["form-action 'none'", "frame-ancestors 'none'", "base-uri 'none'"],
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'Cache-Control': 'public, no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex',
};

const FILES: Readonly<Record<string, string>> = {
  'docs.css': 'text/css; charset=utf-8',
  'docs.js': 'text/javascript; charset=utf-8',
};

/** To be called in `register`. */
export function addDocs(strapi: Core.Strapi): void {
  const wire = wireOf(strapi);
  const add = (path: string, type: string, make: () => string): void =>
    wire.addPage(path, keptPage({ ...HEADERS, 'Content-Type': type }, make));
  for (const [path, make] of docsPages(strapi)) add(path, 'text/html; charset=utf-8', make);
  for (const [name, type] of Object.entries(FILES))
    add(`/docs/${name}`, type, () =>
      readFileSync(join(strapi.dirs.app.root, 'public', 'docs', name), 'utf8'),
    );
}
