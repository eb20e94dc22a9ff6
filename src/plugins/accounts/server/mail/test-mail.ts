/** A mail that tries the mail server: sent at once, and not by the outbox, so that who asks for it is told what has come of it. */
import { compose } from './compose';
import { reasonOf, type CourierOptions } from './courier';
import type { Delivery } from './transport';

export interface TestMail {
  readonly address: string;
  /** Null where it failed. */
  readonly delivery: Delivery | null;
  /** The code of the failure, without the answer of the mail server. */
  readonly error: string | null;
}

/** @param account the ID of the account that receives it @returns null without such an account, or with a blocked one */
export async function sendTestMail(
  { database, recipient, transport, settings }: CourierOptions,
  account: string,
): Promise<TestMail | null> {
  const person = await database.write(() => recipient({ account }, 'test', database.dialect));
  if (!person) return null;
  const { email: address } = person;
  try {
    const mail = compose('test', person, { token: null }, settings());
    return { address, delivery: await transport.send(mail), error: null };
  } catch (error) {
    return { address, delivery: null, error: reasonOf(error) };
  }
}
