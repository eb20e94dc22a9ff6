import type { KindDefinition } from './kind';
import { uuid } from './uuid';

/** The ID of the object itself; it is never absent. */
export const id: KindDefinition = { ...uuid, attributes: [], empty: '' };
