import { Link as RouterLink } from 'react-router-dom';
import { useIntl } from 'react-intl';
import { Flex, LinkButton, Typography } from '@strapi/design-system';
import type { WaitingNow, WaitingOf } from '../../../shared/home';
import { ageText, usePanelTexts } from '../../parts/texts';
import { NO_ACCOUNT } from '../review/use-page-filter';
import { countAnonymous, oldestWaiting, readWaiting, type ReportCount } from './api';
import { Card, Line, Lines, Quiet, To } from './card';
import { useAnswer } from './use-answer';

/** Where the reports of an author are reviewed. */
const queueOf = ({ id }: WaitingOf): string => `/review?owner=${id ?? NO_ACCOUNT}`;

interface Waiting extends WaitingNow {
  readonly oldest: string | null;
}

const read = async (): Promise<Waiting> => {
  const [waiting, oldest] = await Promise.all([readWaiting(), oldestWaiting()]);
  return { ...waiting, oldest };
};

/** How much waits for its review, of whom, and since when. */
export function WaitingCard() {
  const say = usePanelTexts('home');
  const { locale } = useIntl();
  const answer = useAnswer(read);
  return (
    <Card title={say('waiting')} answer={answer}>
      {({ count, oldest, secondLooks, authors, furtherAuthors }) => (
        <>
          <Flex justifyContent="space-between" gap={4}>
            <Typography variant="alpha" tag="p">
              {say('waiting.count', { count })}
            </Typography>
            {count === 0 ? null : (
              <LinkButton tag={RouterLink} to="/review">
                {say('waiting.begin')}
              </LinkButton>
            )}
          </Flex>
          {oldest === null ? null : (
            <Quiet>{say('waiting.oldest', { age: ageText(oldest, Date.now(), locale) })}</Quiet>
          )}
          {secondLooks === 0 ? null : (
            <To to="/review?second=1">{say('waiting.secondLooks', { count: secondLooks })}</To>
          )}
          <Lines>
            {authors.map((author) => (
              <Line key={author.id ?? ''}>
                <To to={queueOf(author)}>{nameOf(author, say('anonymous'))}</To>
                <Typography>{say('number', { count: author.count })}</Typography>
              </Line>
            ))}
          </Lines>
          {furtherAuthors === 0 ? null : (
            <Quiet>{say('waiting.further', { count: furtherAuthors })}</Quiet>
          )}
        </>
      )}
    </Card>
  );
}

const nameOf = ({ id, name }: WaitingOf, anonymous: string): string =>
  id === null ? anonymous : name === null || name === '' ? id.slice(0, 8) : name;

/** The start of today, where the reader is. */
function today(): Date {
  const date = new Date();
  date.setHours(0, 0, 0, 0);
  return date;
}

const countToday = (): Promise<ReportCount> => countAnonymous(today());

/** Reports of today without an account. */
export function AnonymousCard() {
  const say = usePanelTexts('home');
  const answer = useAnswer(countToday);
  return (
    <Card title={say('anonymousToday')} answer={answer}>
      {({ count, isExact }) => (
        <>
          <Typography variant="alpha" tag="p">
            {say(isExact ? 'number' : 'more', { count })}
          </Typography>
          <To to={`/review?owner=${NO_ACCOUNT}`}>{say('anonymousToday.review')}</To>
        </>
      )}
    </Card>
  );
}
