export interface MailAddress {
  readonly name: string;
  readonly address: string;
}

/** A mail as the email plugin passes it to nodemailer. */
export interface Mail {
  readonly from: MailAddress;
  readonly to: MailAddress;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly headers: Readonly<Record<string, string>>;
}
