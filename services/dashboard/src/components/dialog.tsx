import { type PropsWithChildren, type ReactNode, type SyntheticEvent, useId, useLayoutEffect, useRef } from 'react';
import { LiveRegion } from './live-region.tsx';

interface DialogProps {
  readonly title: string;
  readonly isWide?: boolean;
  /** If this is undefined, Esc does not close the dialog. */
  readonly onClose?: (() => void) | undefined;
  readonly foot: ReactNode;
}

/** The native `dialog` keeps the focus inside and returns it when it closes. */
export function Dialog({ title, isWide = false, onClose, foot, children }: PropsWithChildren<DialogProps>) {
  const element = useRef<HTMLDialogElement>(null);
  const id = useId();
  // The cleanup of a layout effect runs before the element is removed, so that the focus can return.
  useLayoutEffect(() => {
    const dialog = element.current!;
    if (!dialog.open) dialog.showModal();
    return () => dialog.close();
  }, []);
  const refuse = (event: SyntheticEvent) => {
    event.preventDefault();
    onClose?.();
  };
  return (
    <dialog
      ref={element}
      className={isWide ? 'wide' : undefined}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key === 'Escape') refuse(event);
      }}
      onCancel={refuse}
      // A browser lets a page refuse only the first Esc; a second one closes the dialog.
      onClose={() => {
        if (element.current?.open !== false) return;
        if (onClose === undefined) element.current.showModal();
        else onClose();
      }}
    >
      {/* Screen readers read nothing outside an open dialog. */}
      <LiveRegion>
        <div className="d-head">
          <h2 id={id}>{title}</h2>
        </div>
        <div className="d-body">{children}</div>
        <div className="d-foot">{foot}</div>
      </LiveRegion>
    </dialog>
  );
}
