/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  read: 'This document, for viewers and generators of clients. Anybody may read it. It changes with the version of the service alone: ask again with `If-None-Match`.',
};
