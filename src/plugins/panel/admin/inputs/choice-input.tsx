/** A choice among the values of an enumeration, by their texts: Strapi's input shows them as they are stored. */
import type { ComponentProps } from 'react';
import { Typography } from '@strapi/design-system';
import { InputRenderer } from '@strapi/strapi/admin';
import { useIntl } from 'react-intl';
import { useModel } from '../seams/model';
import { valueKey } from '../translations/labels';
import type { InputProps } from './records/form';

interface Props extends InputProps {
  readonly attribute: { readonly enum: readonly string[] };
}

/** The text of a value of an enumeration; any other text as it is. */
export function useValueText(): (uid: string, attribute: string, value: string) => string {
  const intl = useIntl();
  return (uid, attribute, value) => {
    const id = valueKey(uid, attribute, value);
    return id in intl.messages ? intl.formatMessage({ id }) : value;
  };
}

export function ChoiceInput({ attribute, ...props }: Props) {
  const uid = useModel();
  const textOf = useValueText();
  const options = attribute.enum.map((value) => ({ value, label: textOf(uid, props.name, value) }));
  const given = { ...props, type: 'enumeration', options } as unknown as ComponentProps<
    typeof InputRenderer
  >;
  return <InputRenderer {...given} />;
}

/** A value in a list. */
export function ChoiceText(props: {
  readonly uid: string;
  readonly attribute: string;
  readonly value: string;
}) {
  const textOf = useValueText();
  return (
    <Typography textColor="neutral800" ellipsis>
      {textOf(props.uid, props.attribute, props.value)}
    </Typography>
  );
}
