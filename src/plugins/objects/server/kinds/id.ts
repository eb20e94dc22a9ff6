import type { KindDefinition } from './kind';
import { uuid } from './uuid';

/** The ID of the object itself, which it is never without. */
export const id: KindDefinition = { ...uuid, attributes: [], empty: '' };
