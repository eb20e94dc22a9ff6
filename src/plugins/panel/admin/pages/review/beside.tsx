import type { ReactNode } from 'react';
import { useIntl } from 'react-intl';
import { Checkbox, Flex, Link, TextButton, Typography } from '@strapi/design-system';
import { momentText, type Translate } from '../../parts/texts';
import { taxonText, useSay } from './texts';
import type { Encounter, PastChange } from './types';
import type { Context, Others } from './use-beside';

interface Props {
  readonly record: Encounter;
  readonly context: Context | null;
  readonly author: string | null;
  readonly isTogether: boolean;
  readonly onTogether: (isOn: boolean) => void;
  readonly onAuthor: () => void;
}

export function Beside({ record, context, author, isTogether, onTogether, onAuthor }: Props) {
  const say = useSay();
  const { locale } = useIntl();
  if (!context) return <Typography variant="pi">{say('beside.loading')}</Typography>;
  const { similar, event, approved, rejected, history } = context;
  const waiting = event.records.filter(({ state }) => state === 'pending');
  const notes = history.filter(({ action, changes }) => action === 'review' && changes.length > 0);
  return (
    <Flex direction="column" alignItems="stretch" gap={4}>
      <Part title={say('author')}>
        {author === null ? (
          <Typography variant="pi">{record.submitter_email ?? say('anonymous')}</Typography>
        ) : (
          <Typography variant="pi">
            {say('author.past', { name: author, approved, rejected })}{' '}
            <TextButton onClick={onAuthor}>{say('author.only')}</TextButton>
          </Typography>
        )}
      </Part>
      {event.records.length === 0 ? null : (
        <Part title={say('event', { count: event.records.length })}>
          <List others={event} say={say} language={locale} />
          {waiting.length === 0 ? null : (
            <Checkbox
              checked={isTogether}
              onCheckedChange={(isOn: boolean | 'indeterminate') => onTogether(isOn === true)}
            >
              <Typography variant="pi">
                {say('event.together', { count: waiting.length })}
              </Typography>
            </Checkbox>
          )}
        </Part>
      )}
      {similar.records.length === 0 ? null : (
        <Part title={say('similar')}>
          <List others={similar} say={say} language={locale} />
        </Part>
      )}
      {notes.length === 0 ? null : (
        <Part title={say('notes')}>
          {notes.map((entry) => (
            <Typography key={entry.id} variant="pi">
              {noteText(entry, say, locale)}
            </Typography>
          ))}
        </Part>
      )}
    </Flex>
  );
}

/** Who decided what, and with which note. */
function noteText({ at, actor, changes }: PastChange, say: Translate, language: string): string {
  const after = (path: string): string => {
    const value = changes.find((change) => change.path === path)?.after;
    return typeof value === 'string' ? value : '';
  };
  const state = after('state');
  const what = state === '' ? '' : say(`state.${state}`);
  return [momentText(at, language), actor.name, what, after('review_note')]
    .filter(Boolean)
    .join(' · ');
}

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <Flex direction="column" alignItems="stretch" gap={1}>
    <Typography variant="sigma" textColor="neutral600" tag="h2">
      {title}
    </Typography>
    {children}
  </Flex>
);

/** The page of a record in the content manager. */
const pageOf = (id: string): string =>
  `/admin/content-manager/collection-types/api::encounter.encounter/${id}`;

function List({
  others,
  say,
  language,
}: {
  readonly others: Others;
  readonly say: Translate;
  readonly language: string;
}) {
  return (
    <Flex direction="column" alignItems="stretch" gap={1}>
      {others.records.map(({ id, time, taxonomy, state }) => (
        <Link key={id} href={pageOf(id)} isExternal>
          {[
            taxonText(others.included.taxonomy?.[taxonomy ?? ''], language) ?? say('noTaxon'),
            time,
            say(`state.${state}`),
          ]
            .filter(Boolean)
            .join(' · ')}
        </Link>
      ))}
    </Flex>
  );
}
