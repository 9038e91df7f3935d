/** Reads a request as its endpoint declares it. Reports every fault with the caller's name of the field. */
import { DomainError, type DomainErrorCode } from '@waypost/domain';
import Joi from 'joi';
import type { Fields, ObjectOf } from './fields.ts';

const VALIDATION: Joi.ValidationOptions = {
  abortEarly: false,
  convert: false,
  presence: 'required',
  errors: { wrap: { label: false }, label: false },
  messages: {
    'any.required': 'is required',
    'any.invalid': 'is not allowed',
    'any.only': 'must be one of {#valids}',
    'object.base': 'must be an object',
    'array.base': 'must be an array',
    'array.min': 'must have {#limit} or more entries',
    'array.max': 'must have at most {#limit} entries',
    'string.base': 'must be a string',
    'string.empty': 'must not be empty',
    'string.max': 'must have at most {#limit} characters',
    problem: '{#problem}',
  },
};

export interface Input<T = unknown> {
  readonly schema: Joi.ObjectSchema<T>;
  readonly lists: ReadonlySet<string>;
  /** Returns the value, which is valid only if `faults` did not grow. `row` is empty or a name such as `links[3]`. */
  judge(row: string, value: unknown, faults: Faults): T;
}

/** If `name` is given, the object has its own section in the OpenAPI document. */
export function input<F extends Fields>(fields: F, name?: string, description = ''): Input<ObjectOf<F>> {
  const schema = Joi.object<ObjectOf<F>>(fields);
  // The schema keeps these preferences, because `validate` would compile them on each call.
  const judged = schema.prefs(VALIDATION);
  const names = new Set(Object.keys(fields));
  return {
    schema: name === undefined ? schema : schema.id(name).description(description),
    lists: new Set([...names].filter((field) => fields[field]!.type === 'array')),
    judge: (row, sent, faults) => {
      // Joi sees only declared fields, so its work does not grow with the body. `__proto__` is treated as any other
      // field.
      const picked: Record<string, unknown> = {};
      const fields = isObject(sent) ? Object.keys(sent) : [];
      let unknownCount = fields.length;
      for (const field of names) {
        if (!isObject(sent) || !Object.hasOwn(sent, field)) continue;
        picked[field] = sent[field];
        unknownCount--;
      }
      const { value, error } = judged.validate(isObject(sent) ? picked : sent);
      for (const { path, message } of error?.details ?? []) faults.add(row, path, message);
      // A body may have hundreds of thousands of unknown fields, so the loop stops when no more are named.
      for (const field of fields) {
        if (unknownCount === 0 || faults.isFull(row)) break;
        if (names.has(field)) continue;
        faults.add(row, [field], 'is not a known field');
        unknownCount--;
      }
      faults.count(unknownCount);
      return value;
    },
  };
}

/** Throws `validation_failed`, with `details` for each wrong field. */
export function readBody<T>(declared: Input<T>, body: unknown): T {
  if (isObject(body)) return judgeAll(declared, body, new Faults());
  throw new DomainError('validation_failed', 'The request body must be a JSON object.', {
    details: { body: 'must be a JSON object' },
  });
}

/** A parameter may be repeated only if it is declared as a list. Throws `validation_failed`. */
export function readQuery<T>(declared: Input<T>, parameters: Readonly<Record<string, unknown>>): T {
  const faults = new Faults(declared.lists);
  const query: Record<string, unknown> = Object.assign(Object.create(null), parameters);
  for (const [name, value] of Object.entries(query)) {
    if (declared.lists.has(name)) query[name] = [...new Set([value].flat())];
    else if (Array.isArray(value)) {
      faults.add('', [name], 'must not be repeated');
      delete query[name];
    }
  }
  return judgeAll(declared, query, faults);
}

function judgeAll<T>(declared: Input<T>, value: unknown, faults: Faults): T {
  const result = declared.judge('', value, faults);
  faults.throwIfAny();
  return result;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Each row, body or query names at most this many faults. Further faults are only counted. */
const NAMED_PER_ROW = 10;
/** Messages repeat at most this many characters of a caller's field name. */
const NAME_LENGTH = 100;

export class Faults {
  // This object has no prototype, because a field called `constructor` would otherwise seem to be named already.
  readonly details: Record<string, string> = Object.create(null);
  readonly #named = new Map<string, number>();
  readonly #repeated: ReadonlySet<string | number>;
  #count = 0;

  /** A fault of a parameter that may be repeated concerns the whole parameter, which has no index. */
  constructor(repeated: ReadonlySet<string> = new Set()) {
    this.#repeated = repeated;
  }

  add(row: string, path: readonly (string | number)[], problem: string): void {
    const named = this.#named.get(row) ?? 0;
    if (named === NAMED_PER_ROW) {
      this.#count++;
      return;
    }
    const [first = ''] = path;
    const field = fieldName(row, this.#repeated.has(first) ? [first] : path);
    if (field in this.details) return;
    this.#count++;
    this.#named.set(row, named + 1);
    this.details[field] = problem;
  }

  isFull(row: string): boolean {
    return this.#named.get(row) === NAMED_PER_ROW;
  }

  count(faults: number): void {
    this.#count += faults;
  }

  has(field: string): boolean {
    return field in this.details;
  }

  throwIfAny(): void {
    if (this.#count === 0) return;
    throw new DomainError('validation_failed', faultsMessage(this.details, this.#count), { details: this.details });
  }
}

export function faultsMessage(details: Readonly<Record<string, string>>, count = Object.keys(details).length): string {
  const [[field, problem] = []] = Object.entries(details);
  const others = count === 1 ? '' : `, and ${count - 1} more ${count === 2 ? 'error' : 'errors'}`;
  return `${field} ${problem}${others}.`;
}

/** Throws an error that names each row with a problem, or its field, as `nameOf` does. */
export function throwIfAny(
  code: DomainErrorCode,
  problems: readonly (string | false | null | undefined)[],
  nameOf: (row: number) => string,
): void {
  const details = Object.fromEntries(problems.flatMap((words, row) => (words ? [[nameOf(row), words]] : [])));
  if (Object.keys(details).length > 0) throw new DomainError(code, faultsMessage(details), { details });
}

/** Returns `links[3].destination_url` for the path `['destination_url']` in the row `links[3]`. */
function fieldName(row: string, path: readonly (string | number)[]): string {
  let name = row;
  for (const step of path) {
    if (typeof step === 'number') name += `[${step}]`;
    else name += `${name === '' ? '' : '.'}${step.length > NAME_LENGTH ? `${step.slice(0, NAME_LENGTH)}…` : step}`;
  }
  return name === '' ? 'body' : name;
}
