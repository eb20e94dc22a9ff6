import { useCallback } from 'react';
import { useIntl } from 'react-intl';
import { Typography } from '@strapi/design-system';
import type { ChangedLately, ChangedRecord, ChangedRecords } from '../../../shared/home';
import { momentText, usePanelTexts, type Translate } from '../../parts/texts';
import { readChanges } from './api';
import { Card, Line, Lines, Quiet, To } from './card';
import { useAnswer, type Answered } from './use-answer';

/** What others have changed. @param since milliseconds since 1970 */
export function useChanges(since: number): Answered<ChangedLately> {
  return useAnswer(useCallback(() => readChanges(since), [since]));
}

interface Props {
  readonly name: 'byOthers' | 'afterApproval';
  readonly answer: Answered<ChangedLately>;
}

export function ChangesCard({ name, answer }: Props) {
  const say = usePanelTexts('home');
  return (
    <Card title={say(name)} answer={answer}>
      {(lately) => <Changes changed={lately[name]} nothing={say(`${name}.none`)} />}
    </Card>
  );
}

function Changes({
  changed: { records, count, isAll },
  nothing,
}: {
  readonly changed: ChangedRecords;
  readonly nothing: string;
}) {
  const say = usePanelTexts('home');
  const { locale } = useIntl();
  return (
    <>
      {count === 0 ? <Quiet>{nothing}</Quiet> : null}
      <Lines>
        {records.map((record) => (
          <Line key={`${record.type} ${record.id}`}>
            <Name record={record} />
            <Quiet>
              {say('changed', {
                action: say(`action.${record.action}`),
                name: record.by ?? say('nobody'),
                moment: momentText(record.at, locale),
              })}
            </Quiet>
          </Line>
        ))}
      </Lines>
      {count > records.length ? (
        <Quiet>{say('changed.further', { count: count - records.length })}</Quiet>
      ) : null}
      {isAll ? null : <Quiet>{say('changed.partly')}</Quiet>}
    </>
  );
}

function Name({ record }: { readonly record: ChangedRecord }) {
  const say = usePanelTexts('home');
  const { uid, id, exists } = record;
  const text = textOf(record, say);
  return exists ? (
    <To to={`/content-manager/collection-types/${uid}/${id}`}>{text}</To>
  ) : (
    <Typography>{text}</Typography>
  );
}

/** An encounter has no name: it is told by its taxon, and when it was. */
function textOf({ type, id, name, taxon }: ChangedRecord, say: Translate): string {
  const parts = [taxon, name].filter((part) => part !== null && part !== '');
  return `${say(`type.${type}`)} ${parts.length > 0 ? parts.join(' · ') : id.slice(0, 8)}`;
}
