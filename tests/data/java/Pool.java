package com.example;

import static java.time.Duration.*;
import org.joda.time.Duration;

public record Pool(int size, @Max(60) long idle) {
    // Maße in Sekunden
    static final java.time.Duration IDLE = ofSeconds(55), LIFE = ofMinutes(30);
    static final Duration OTHER = Duration.ofSeconds(5);
    static int limit = 10;
    static final int limitOf = 0b11, shadowed = 7;
    Pool {
        if (size > 10) throw new IllegalArgumentException("größer als 10: \t" + size);
        use(IDLE, limit, limitOf);
    }
    void a() { int shadowed = 8; use(shadowed); String s = "C:\\u0041"; }
    <T> void b(long IDLE_) { a(); x.<T>timeout(5); b(24L * 60 * 60 * 1000); }
}
