import { testDoors } from '../fuzz/doors';
import { useMailbox } from '../helpers/mailbox';
import { testPasswords } from './mailed-tokens/password';
import { testVerification } from './mailed-tokens/verify';

const mailbox = useMailbox();

describe('passwords', () => testPasswords(mailbox));
describe('verification', () => testVerification(mailbox));
describe('doors of texts', () => testDoors(mailbox));
