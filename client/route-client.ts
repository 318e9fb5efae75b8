import { type Args, type JsonRoute, type Response, type TextRoute, toRequest } from './route-call.ts';
import { Transport, type TransportOptions } from './transport.ts';

/** Calls the routes of the contract by their names. Works in Node and in browsers. */
export class RouteClient {
  protected readonly transport: Transport;

  constructor(options: TransportOptions) {
    this.transport = new Transport(options);
  }

  get baseUrl(): string {
    return this.transport.baseUrl;
  }

  /** `call('listMessages', { sessionId, query: { limit: 20 } })`. Never repeated on network failure. */
  call<N extends JsonRoute>(name: N, ...[asked]: Args<N>): Promise<Response<N>> {
    const { method, path, request } = toRequest(name, asked);
    return this.transport.json(method, path, request);
  }

  /** The same for what is answered as text. */
  callForText<N extends TextRoute>(name: N, ...[asked]: Args<N>): Promise<string> {
    const { path, request } = toRequest(name, asked);
    return this.transport.text(path, request);
  }

  async readFile(fileId: string): Promise<Blob> {
    const { method, path, request } = toRequest('readFile', { fileId });
    return (await this.transport.send(method, path, request)).blob();
  }

  /** A kept file, now or as it was in a version. */
  async readArtifactFile(artifactFileId: string, version?: number): Promise<Blob> {
    const { method, path, request } = toRequest('readArtifactFile', { artifactFileId, query: { version } });
    return (await this.transport.send(method, path, request)).blob();
  }
}
