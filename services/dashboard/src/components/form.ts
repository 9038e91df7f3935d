import type { SubmitEvent } from 'react';

export const onForm = (handle: (form: HTMLFormElement) => void) => (event: SubmitEvent<HTMLFormElement>) => {
  event.preventDefault();
  handle(event.currentTarget);
};

export const textIn = (form: HTMLFormElement, name: string) => String(new FormData(form).get(name) ?? '');
