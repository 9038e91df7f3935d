export type { Notice } from './notice.ts';
export type { Notices, OperatorMail, SendMail } from './notices.port.ts';
