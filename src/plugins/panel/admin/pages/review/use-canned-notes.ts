/** The notes that are offered for a rejection, in the reader's language: those of the site, else the service's own. */
import { useEffect, useMemo, useState } from 'react';
import { useIntl } from 'react-intl';
import { readNotes } from './api';
import { inLanguage, useSay } from './texts';
import type { CannedNote, SiteNote } from './types';

/** What is most often missing. */
const NOTES = ['unclear', 'place', 'time', 'several', 'captive', 'duplicate'] as const;

export function useCannedNotes(): readonly CannedNote[] {
  const say = useSay();
  const { locale } = useIntl();
  const [notes, setNotes] = useState<readonly SiteNote[]>([]);
  useEffect(() => {
    let isCurrent = true;
    // Without them there are the service's own.
    readNotes().then(
      (found) => isCurrent && setNotes(found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, []);
  return useMemo(
    () =>
      notes.length > 0
        ? notes.map(({ title, text }) => ({
            title: inLanguage(title, locale) ?? '',
            text: inLanguage(text, locale) ?? '',
          }))
        : NOTES.map((name) => ({ title: say(`note.${name}`), text: say(`note.${name}.text`) })),
    [notes, say, locale],
  );
}
