/** The notes that are offered for a rejection, in the reader's language. */
import { useMemo } from 'react';
import { useSay } from './texts';
import type { CannedNote } from './types';

/** What is most often missing. */
const NOTES = ['unclear', 'place', 'time', 'several', 'captive', 'duplicate'] as const;

export function useCannedNotes(): readonly CannedNote[] {
  const say = useSay();
  return useMemo(
    () => NOTES.map((name) => ({ title: say(`note.${name}`), text: say(`note.${name}.text`) })),
    [say],
  );
}
