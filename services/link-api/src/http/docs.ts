import { Router } from 'express';
import type { LinkApiDeps } from '../app.ts';

export function docs(_deps: LinkApiDeps): Router {
  return Router();
}
