import { useState } from 'react';
import { useIntl } from 'react-intl';
import { Button, Flex, Typography } from '@strapi/design-system';
import { CheckCircle, CrossCircle, WarningCircle } from '@strapi/icons';
import type { InstallationLine, TestMailAnswer } from '../../../shared/home';
import { spanText, usePanelTexts, type Translate } from '../../parts/texts';
import { readInstallation, askForTestMail } from './api';
import { Card, Quiet } from './card';
import { useAnswer } from './use-answer';

/** What of the installation is broken, or near its limit. */
export function InstallationCard() {
  const say = usePanelTexts('home');
  const answer = useAnswer(readInstallation);
  return (
    <Card title={say('installation')} answer={answer}>
      {({ lines, versions }) => (
        <>
          <Flex tag="ul" direction="column" alignItems="stretch" gap={2}>
            {lines.map((line) => (
              <State key={line.about + String(line.values['name'] ?? '')} line={line} />
            ))}
          </Flex>
          <TestMail />
          <Quiet>{say('versions', versions)}</Quiet>
        </>
      )}
    </Card>
  );
}

const SIGNS = {
  ok: <CheckCircle fill="success600" aria-hidden />,
  look: <WarningCircle fill="warning600" aria-hidden />,
  wrong: <CrossCircle fill="danger600" aria-hidden />,
} as const;

function State({ line: { about, level, values } }: { readonly line: InstallationLine }) {
  const say = usePanelTexts('home');
  const { locale } = useIntl();
  return (
    <Flex tag="li" gap={2} alignItems="flex-start">
      <Flex flex="0 0 auto" paddingTop={1}>
        {SIGNS[level]}
      </Flex>
      <Typography fontWeight={level === 'wrong' ? 'semiBold' : 'regular'}>
        {level === 'ok' ? null : `${say(`level.${level}`)} `}
        {say(`state.${about}`, shown(values, level, locale))}
      </Typography>
    </Flex>
  );
}

function sizeText(bytes: number, language: string): string {
  const [unit, length] = bytes >= 1e9 ? (['gigabyte', 1e9] as const) : (['megabyte', 1e6] as const);
  const format = new Intl.NumberFormat(language, {
    ...{ style: 'unit', unit, unitDisplay: 'short', maximumFractionDigits: 1 },
  });
  return format.format(bytes / length);
}

/** The figures of a line as people read them. */
function shown(
  values: InstallationLine['values'],
  level: string,
  language: string,
): Record<string, number | string> {
  const { age, free, bytes, ...rest } = values;
  return {
    ...rest,
    level,
    ...(typeof age === 'number' ? { age: spanText(age, language) } : {}),
    ...(typeof free === 'number' ? { free: sizeText(free, language) } : {}),
    ...(typeof free === 'number' && typeof rest['all'] === 'number'
      ? { part: free / rest['all'] }
      : {}),
    ...(typeof bytes === 'number' ? { bytes: sizeText(bytes, language) } : {}),
  };
}

/** Tries the mail server with a mail to who presses the button. */
function TestMail() {
  const say = usePanelTexts('home');
  const [isSending, setSending] = useState(false);
  const [told, setTold] = useState('');
  const send = async (): Promise<void> => {
    setSending(true);
    setTold('');
    const answer = await askForTestMail().catch(() => null);
    setTold(textOf(answer, say));
    setSending(false);
  };
  return (
    <Flex gap={3} wrap="wrap">
      <Button size="S" variant="secondary" loading={isSending} onClick={() => void send()}>
        {say('testMail')}
      </Button>
      <Typography aria-live="polite">{told}</Typography>
    </Flex>
  );
}

function textOf(answer: TestMailAnswer | null, say: Translate): string {
  if (!answer) return say('testMail.unknown');
  const { address, delivery, error } = answer;
  return say(`testMail.${delivery ?? 'failed'}`, { address, error: error ?? '' });
}
