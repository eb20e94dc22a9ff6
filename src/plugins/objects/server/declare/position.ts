/** The position of an object: its fields `latitude` and `longitude`, in degrees (WGS 84). */
import type { Field, Resource } from './completed';

/** @returns null where the type has none */
export function positionOf({ fields }: Resource): readonly [Field, Field] | null {
  const [latitude, longitude] = [fields.get('latitude'), fields.get('longitude')];
  return latitude && longitude ? [latitude, longitude] : null;
}
