import type { Command } from '@commander-js/extra-typings';
import { emptyProgram } from '../program.ts';
import type { Session } from '../session.ts';
import { addAdmin } from './admin.ts';
import { addAnalytics, addOverview } from './analytics.ts';
import { addApi } from './api.ts';
import { addBulk } from './bulk.ts';
import { addCheck } from './check.ts';
import { addCompletion } from './completion.ts';
import { addCreate } from './create.ts';
import { addEdit } from './edit.ts';
import { addExport } from './export.ts';
import { addGet } from './get.ts';
import { addKeys } from './keys.ts';
import { addList } from './list.ts';
import { addLogin, addLogout, addWhoami } from './login.ts';
import { addMcp } from './mcp.ts';
import { addOpen } from './open.ts';
import { addQr } from './qr.ts';
import { addReviews } from './reviews.ts';
import { addRevoke } from './revoke.ts';
import { addScan } from './scan.ts';
import { addTag } from './tag.ts';
import { addWebhooks } from './webhooks.ts';

const COMMANDS = [
  addCreate,
  addBulk,
  addCheck,
  addList,
  addGet,
  addEdit,
  addTag,
  addRevoke,
  addScan,
  addReviews,
  addAnalytics,
  addOverview,
  addQr,
  addOpen,
  addExport,
  addWebhooks,
  addLogin,
  addLogout,
  addWhoami,
  addKeys,
  addMcp,
  addApi,
  addCompletion,
  addAdmin,
];

export function makeProgram(session: Session): Command {
  const program = emptyProgram(session);
  for (const add of COMMANDS) add(program, session);
  return program;
}
