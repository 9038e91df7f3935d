export * from './back-off.ts';
export * from './breaker.ts';
export * from './eventual.ts';
export * from './memo.ts';
export * from './shared-answers.ts';
export * from './stack.ts';
export * from './time.ts';
export * from './turns.ts';
