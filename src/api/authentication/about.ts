/** What the OpenAPI document says of these calls. */
import type { CallTexts } from '../../endpoints/about';

export const ABOUT: CallTexts = {
  login:
    'Begins a session: sets the cookie, and answers its secret as `cookie`, which a program without cookies sends as `Authorization: Bearer`. Anybody may call it; a wrong name, a wrong password and a blocked account are refused alike, and many failures with 429. A session that came with the call ends.',
  logout:
    'Ends the session that calls and clears the cookie, also one that has ended already. Anybody may call it; with the `username` of another user, an administrator ends all sessions of that user.',
  reset:
    'Mails a link with which a new password can be set, good for one hour and once. Anybody may call it, and the answer is the same whether or not the address has an account: do not show it as a success.',
  password:
    'Sets a new password: with the `token` of a mail (reset, invitation), or with `current_password` by the user who is logged in. All other sessions of the user end.',
  verify:
    'With the `token` of a mail, proves the address; with `email`, has that mail sent again. Anybody may call it, and whether the address has an account is not told.',
  session:
    'Who is logged in, and in `may` what they may do that no object tells: make objects of which types, use the panel, change the settings. Call it when a page loads; 401 means that nobody is logged in.',
  sessions:
    'The sessions of the caller, with when and from which program they were last used. For any user who is logged in: show them so that a forgotten computer can be logged out.',
  endSession:
    "Ends one of the caller's own sessions at once, the one that calls included. One of somebody else answers as if it did not exist.",
};
