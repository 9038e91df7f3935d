/** `POST /scan`, the scanner's only door (operator interface, Scanner call). Internal: it has no keys and no limits of its own. */
import { DomainError, LIMITS, type Verdict } from '@waypost/domain';
import type { UrlScanner } from '@waypost/ports';
import { errorFields, type Logger } from '@waypost/service-kit';
import express, { type ErrorRequestHandler, type RequestHandler, type Response, type Router } from 'express';
import Joi from 'joi';

interface Deps {
  readonly scanner: UrlScanner;
  readonly logger: Logger;
}

/** `expressions` asks for the hashes that a link is stored with: link-api needs them, others do not. */
const BODY = Joi.object<{ urls: string[]; expressions?: boolean }>({
  urls: Joi.array().items(Joi.string().allow('')).min(1).max(LIMITS.linksPerBulkRequest).required(),
  expressions: Joi.boolean(),
}).required();

export function scanRouter({ scanner, logger }: Deps): Router {
  const router = express.Router();
  router
    .route('/scan')
    .post(
      jsonOnly,
      // Twice the limit of the API: 500 URLs of full length, escaped as JSON, and their brackets must fit.
      express.json({ limit: 2 * LIMITS.bodyBytes, strict: false }),
      async (request, response) => {
        const { error, value: body } = BODY.validate(request.body, { abortEarly: false, convert: false });
        if (error !== undefined) {
          answerError(response, 400, 'bad_request', 'The body is not a list of URLs to scan.', detailsOf(error));
          return;
        }
        const { generation, verdicts } = await scanner.scan(body.urls);
        logger.info('scanned', { urls: verdicts.length, generation });
        response.json({
          generation,
          verdicts: body.expressions === true ? verdicts : verdicts.map(publicVerdict),
        });
      },
    )
    .all((_request, response) => {
      response.set('Allow', 'POST');
      answerError(response, 405, 'method_not_allowed', 'Use POST.');
    });
  router.use('/scan', errorHandler(logger));
  return router;
}

const jsonOnly: RequestHandler = (request, response, next) => {
  if (request.is('application/json') === 'application/json') next();
  else answerError(response, 415, 'unsupported_media_type', 'Send the body as application/json.');
};

function errorHandler(logger: Logger): ErrorRequestHandler {
  return (error, _request, response, next) => {
    if (response.headersSent) return next(error);
    if (error instanceof DomainError && error.code === 'unavailable') {
      response.set('Retry-After', String(error.retryAfterSeconds ?? 5));
      return answerError(response, 503, 'service_unavailable', error.message);
    }
    const status = (error as { status?: unknown }).status;
    if (status === 413) return answerError(response, 413, 'payload_too_large', 'The body is too large.');
    // body-parser: broken JSON, a charset or encoding it does not know, a body that broke off.
    if (typeof status === 'number' && status >= 400 && status < 500) {
      return answerError(response, 400, 'bad_request', 'The body cannot be read as JSON.');
    }
    logger.error('scan failed', errorFields(error));
    answerError(response, 500, 'internal_error', 'The scan failed.');
  };
}

function answerError(
  response: Response,
  status: number,
  error: string,
  message: string,
  details?: Readonly<Record<string, string>>,
): void {
  response.status(status).json({ error, message, status, ...(details === undefined ? {} : { details }) });
}

/** `urls[3]` and what is wrong with it, for every fault. */
function detailsOf(error: Joi.ValidationError): Record<string, string> {
  return Object.fromEntries(
    error.details.map(({ path, message }) => {
      const field = path.map((part) => (typeof part === 'number' ? `[${part}]` : part)).join('');
      return [field === '' ? 'body' : field, message];
    }),
  );
}

/** What the operator interface promises, and no more. */
function publicVerdict({ url, outcome, threat_type, reasons }: Verdict): Omit<Verdict, 'expressions'> {
  return { url, outcome, threat_type, reasons: reasons.map(({ rule, evidence }) => ({ rule, evidence })) };
}
