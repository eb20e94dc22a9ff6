import { join } from 'node:path';
import type { DemoAccount, DemoAccounts } from './accounts';
import { elephantText, type Elephant } from './elephants';
import { hiddenText, type Hidden } from './hidden';

/** What the demo has to show. */
export interface Sights {
  /** IDs. */
  readonly encounter: string;
  readonly individual: string;
  readonly org: string;
  readonly elephant: Elephant | null;
  readonly hidden: Hidden;
}

/** What the demo prints. @param origin such as `http://localhost:1337` */
export function welcome(
  origin: string,
  dataDir: string,
  accounts: DemoAccounts,
  { encounter, individual, org, elephant, hidden }: Sights,
): string {
  const { administrator } = accounts;
  const api = `${origin}/api/v0`;
  return `
The Object Management Service is running, with demo records.

  Admin panel   ${origin}/admin
  API           ${api}/openapi.json
  Mails         ${join(dataDir, 'mail')}

Accounts; the first two may sign in to the panel:

${Object.values(accounts).map(accountLine).join('\n')}

A shell in which the examples of README.md and docs/accounts.md work:

  export api=${api} data='${dataDir}'
  export OMS_ADMIN_EMAIL='${administrator.email}' OMS_ADMIN_PASSWORD='${administrator.password ?? '...'}'

Try it; to read and to report needs no account, to change something does:

  curl '${api}/encounter/${encounter}?include=taxonomy,assets,organizations'
  curl '${api}/individual/${individual}?include=relationships,taxonomy'
  curl '${api}/org/${org}?include=managers,members'
  curl ${api}/encounter -H 'Content-Type: application/json' -d '{"time": "2026-03-09", "remarks": "Two zebras"}'
${hiddenText(hidden)}${elephantText(elephant, origin)}
Any frontend on this machine may call it; docs/frontends.md says how. Its data is kept in ${dataDir};
"npm run demo -- --fresh" begins anew. Stop it with Ctrl+C.

`;
}

const accountLine = ({ email, password }: DemoAccount): string =>
  `  ${email.padEnd(28)}${password ? `password ${password}` : 'has another password than that of the first start'}`;
