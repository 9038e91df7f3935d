/** The response to one request. Its texts have a limited length; do not trust them. */
export type Inspection =
  /** `location` is absolute or relative, and not validated. */
  | { readonly kind: 'redirect'; readonly location: string }
  | {
      readonly kind: 'page';
      readonly status: number;
      readonly title: string;
      readonly hasPassword: boolean;
      /** The address of the icon of the page, absolute or relative. */
      readonly icon: string | null;
      /** The file format, if the response is a program and not a page. */
      readonly program: string | null;
    }
  /** No request was sent, because the policy refuses the address or the address is not public. */
  | { readonly kind: 'refused'; readonly why: string }
  /** There was no usable response. A later attempt may succeed. */
  | { readonly kind: 'failed'; readonly why: string };

/** Fetches one address on the public Internet. It follows no redirects and runs no scripts. */
export interface PageInspector {
  /** Resolves within `withinMs`. Rejects only if the inspector itself does not answer. */
  inspect(url: string, withinMs: number): Promise<Inspection>;
}
