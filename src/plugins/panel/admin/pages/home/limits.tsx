import { useState } from 'react';
import { useIntl } from 'react-intl';
import { Badge, Button, Typography } from '@strapi/design-system';
import { momentText, usePanelTexts } from '../../parts/texts';
import { block, blockedAmong, limitsMet, type LimitMet } from './api';
import { Card, Line, Lines, Quiet } from './card';
import { useAnswer } from './use-answer';

interface Met {
  readonly met: readonly LimitMet[];
  readonly blocked: ReadonlySet<string>;
}

const read = async (): Promise<Met> => {
  const met = await limitsMet();
  const ids = new Set(met.flatMap(({ actor }) => actor.id ?? []));
  return { met, blocked: await blockedAmong([...ids]) };
};

/** Who has reached a limit of the service. An account can be blocked here; an address is closed by who runs the service. */
export function LimitsCard() {
  const say = usePanelTexts('home');
  const { locale } = useIntl();
  const answer = useAnswer(read);
  const [hasFailed, setFailed] = useState(false);
  const close = (id: string): void => {
    block(id)
      .then(() => setFailed(false))
      .catch(() => setFailed(true))
      .finally(answer.again);
  };
  return (
    <Card title={say('limits')} answer={answer}>
      {({ met, blocked }) => (
        <>
          {met.length === 0 ? <Quiet>{say('limits.none')}</Quiet> : null}
          <Lines>
            {met.map(({ id, object, at, actor, changes }) => (
              <Line key={id}>
                <Typography>
                  {actor.name ?? networkIn(changes) ?? say('anonymous')}
                  {' – '}
                  {say(`limit.${object}`)}
                  {', '}
                  {momentText(at, locale)}
                </Typography>
                {actor.id === null ? null : (
                  <Block
                    name={actor.name ?? ''}
                    isBlocked={blocked.has(actor.id)}
                    onBlock={() => close(actor.id ?? '')}
                  />
                )}
              </Line>
            ))}
          </Lines>
          {hasFailed ? <Typography role="alert">{say('limits.failed')}</Typography> : null}
        </>
      )}
    </Card>
  );
}

function Block({
  name,
  isBlocked,
  onBlock,
}: {
  readonly name: string;
  readonly isBlocked: boolean;
  readonly onBlock: () => void;
}) {
  const say = usePanelTexts('home');
  if (isBlocked) return <Badge>{say('blocked')}</Badge>;
  return (
    <Button
      size="S"
      variant="danger-light"
      aria-label={say('block.name', { name })}
      onClick={onBlock}
    >
      {say('block')}
    </Button>
  );
}

function networkIn(changes: LimitMet['changes']): string | null {
  const found = changes.find(({ path }) => path === 'network')?.after;
  return typeof found === 'string' ? found : null;
}
