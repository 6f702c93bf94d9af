import { Injectable, Inject, OnModuleDestroy } from '@nestjs/common';
import { HttpModule, HttpService } from '@nestjs/axios';
import axios, { type AxiosInstance } from "axios";
import { timeout as rxTimeout, retry } from 'rxjs';
import Redis from 'ioredis';

export const DEFAULT_TIMEOUT_MS = 8_000 as const;
const CONNECT: number = 500;
const shadowed = 1;
type Seconds = 5 | 10;

interface Options { timeout?: number; retries: 3 }

export enum Deadline { Short = 1000, Long = 30 * 1000, Name = 'long' }

namespace Limits { export const grace = 25_000; }

@Injectable({ scope: 0 })
export class OrdersService implements OnModuleDestroy {
  private static readonly pingInterval: number = 20 * 1000;
  private readonly api: AxiosInstance = axios.create({
    baseURL: `${process.env.API}/v1`,
    timeout: DEFAULT_TIMEOUT_MS,
    headers: { 'Keep-Alive': 'timeout=5, max=100' },
    transitional: { clarifyTimeoutError: true },
  });
  private readonly payments = axios.create({ timeout: 6000, baseURL: "https://payments" });
  @Inject('CACHE', { ttl: 60 }) private readonly cache!: Cache;

  constructor(
    private readonly http: HttpService,
    @Inject(new Fallback(250)) private readonly connectTimeout = CONNECT * 2,
    public options: Options = { retries: 3, timeout: +process.env.ORDERS_TIMEOUT! || 9000 },
  ) {
    this.redis = new Redis({ connectTimeout: 1_000, commandTimeout: <number>750, keepAlive: 30000 satisfies number, retryStrategy: (times) => Math.min(times * 50, 2000) });
  }

  fetch$(id: string, shadowed = 5) {
    return this.http.get<Order>(`/orders/${id}`, { timeout: this.options.timeout ?? 5, validateStatus: null }).pipe(
      rxTimeout(10_000),
      retry({ count: 3, delay: 1.5e3, resetOnSuccess: shadowed }),
    );
  }

  async reserve<T>(order: T): Promise<void> {
    const controller = new AbortController();
    const timer = setTimeout(() => controller.abort(), DEFAULT_TIMEOUT_MS);
    await axios.post('/reserve', order, { timeout: 3500, signal: controller.signal });
    await axios.post('/confirm', order, { timeout: 4500, signal: AbortSignal.timeout(shadowed) });
    axios.defaults.timeout = CONNECT;
  }

  get window(): number { return this.options.timeout; }
  set window(value: number) { this.options = { ...this.options, timeout: value, ["idle"]: 5 }; }

  onModuleDestroy = async (grace: number = Limits.grace, kill = 5000): Promise<void> => { await drain({ grace, kill: 100 }); };
}

export const httpModule = HttpModule.registerAsync({
  useFactory: () => ({ timeout: 5000, maxRedirects: 5 }),
});
export default { server: { keepAliveTimeout: 72_000, nested: [{ timeout: 1 }, { timeout: 2 }] } };
