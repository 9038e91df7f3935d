/** Reads a request as its endpoint declares it. Names every fault, by the field's name as the caller wrote it. */
import { DomainError } from '@waypost/domain';
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
    'array.min': 'must hold at least {#limit}',
    'array.max': 'must hold at most {#limit}',
    'string.base': 'must be a string',
    'string.empty': 'must not be empty',
    'string.max': 'must have at most {#limit} characters',
    problem: '{#problem}',
  },
};

export interface Input<T = unknown> {
  /** The schema in the documentation. */
  readonly schema: Joi.ObjectSchema<T>;
  readonly lists: ReadonlySet<string>;
  /** The value as declared; valid only if nothing was added to `faults`. `row` is empty, or like `links[3]`. */
  judge(row: string, given: unknown, faults: Faults): T;
}

/** With a name, it is a named object in the documentation. */
export function input<F extends Fields>(fields: F, name?: string, description = ''): Input<ObjectOf<F>> {
  const schema = Joi.object<ObjectOf<F>>(fields);
  // The preferences are part of the schema: passed to each `validate`, they would be compiled each time.
  const judged = schema.prefs(VALIDATION);
  const known = new Set(Object.keys(fields));
  return {
    schema: name === undefined ? schema : schema.id(name).description(description),
    lists: new Set([...known].filter((field) => fields[field]!.type === 'array')),
    judge: (row, given, faults) => {
      // Joi sees only known fields, so its work does not grow with the body. `__proto__` is a field like any other.
      const asked: Record<string, unknown> = {};
      const fields = isObject(given) ? Object.keys(given) : [];
      let unknownCount = fields.length;
      for (const field of known) {
        if (!isObject(given) || !Object.hasOwn(given, field)) continue;
        asked[field] = given[field];
        unknownCount--;
      }
      const { value, error } = judged.validate(isObject(given) ? asked : given);
      for (const { path, message } of error?.details ?? []) faults.add(row, path, message);
      // There may be hundreds of thousands: those that are not named are not looked at.
      for (const field of fields) {
        if (unknownCount === 0 || faults.isFull(row)) break;
        if (known.has(field)) continue;
        faults.add(row, [field], 'is not a known field');
        unknownCount--;
      }
      faults.count(unknownCount);
      return value;
    },
  };
}

/** Throws `validation_failed`, with `details` for each field that is wrong. */
export function readBody<T>(declared: Input<T>, body: unknown): T {
  if (isObject(body)) return judgeAll(declared, body, new Faults());
  throw new DomainError('validation_failed', 'The body must be a JSON object.', {
    details: { body: 'must be a JSON object' },
  });
}

/** Only parameters that are declared as lists may be repeated. Throws like `readBody`. */
export function readQuery<T>(declared: Input<T>, given: Readonly<Record<string, unknown>>): T {
  const faults = new Faults();
  const query: Record<string, unknown> = Object.assign(Object.create(null), given);
  for (const [name, value] of Object.entries(query)) {
    if (declared.lists.has(name)) query[name] = [...new Set([value].flat())];
    else if (Array.isArray(value)) {
      faults.add('', [name], 'must not be repeated');
      delete query[name];
    }
  }
  return judgeAll(declared, query, faults);
}

function judgeAll<T>(declared: Input<T>, given: unknown, faults: Faults): T {
  const read = declared.judge('', given, faults);
  faults.throwIfAny();
  return read;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The faults named per row, body or query; the others are only counted. */
const NAMED_PER_ROW = 10;
/** Messages repeat at most this much of a caller's field name. */
const NAME_LENGTH = 100;

/** The faults of a request, by field name. */
export class Faults {
  // Without a prototype: otherwise a field called `constructor` would seem to be named already.
  readonly details: Record<string, string> = Object.create(null);
  readonly #named = new Map<string, number>();
  #count = 0;

  /** The first fault of a field stays. */
  add(row: string, path: readonly (string | number)[], problem: string): void {
    const named = this.#named.get(row) ?? 0;
    if (named === NAMED_PER_ROW) {
      this.#count++;
      return;
    }
    const field = fieldName(row, path);
    if (field in this.details) return;
    this.#count++;
    this.#named.set(row, named + 1);
    this.details[field] = problem;
  }

  /** Whether the next fault of this row would only be counted. */
  isFull(row: string): boolean {
    return this.#named.get(row) === NAMED_PER_ROW;
  }

  /** Of faults that are not named. */
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
  const others = count === 1 ? '' : `, and ${count - 1} more ${count === 2 ? 'fault' : 'faults'}`;
  return `${field} ${problem}${others}.`;
}

/** `['destination_url']` in the row `links[3]` is `links[3].destination_url`. */
function fieldName(row: string, path: readonly (string | number)[]): string {
  if (path[0] === 'tag') return 'tag'; // a parameter, which has no index
  let name = row;
  for (const step of path) {
    if (typeof step === 'number') name += `[${step}]`;
    else name += `${name === '' ? '' : '.'}${step.length > NAME_LENGTH ? `${step.slice(0, NAME_LENGTH)}…` : step}`;
  }
  return name === '' ? 'body' : name;
}
