# build.mk: how the harness is built. Written by `omnilink gen harness`, and rewritten by it: settings of yours go into the Makefile.
CXX ?= g++
PARTS := Makefile system.hpp $(wildcard omnilink/*)
COMPILE = $(CXX) -std=$(STANDARD) $(CXXFLAGS) -I. -Iomnilink

# The system with native threads: omnilink fuzz --chaos signals
harness: $(PARTS) $(SOURCES)
	$(COMPILE) omnilink/main.cpp $(SOURCES) -o $@ -pthread $(LDLIBS)

# The same, compiled so that a seed decides the schedule: omnilink fuzz --chaos schedule. The sanitizer's flag is for the compiler
# only; the linker gets our runtime instead of its.
harness-schedule: $(PARTS) $(SOURCES)
	@test -s omnilink/runtime.o || { echo "--chaos schedule needs Linux with glibc on x86-64 or ARM64"; exit 2; }
	rm -rf objects && mkdir -p objects
	for source in omnilink/main.cpp $(SOURCES); do \
	  $(COMPILE) -O1 -g -fsanitize=thread -include omnilink/fences.h -c $$source \
	    -o objects/$$(echo $$source | tr '/.' '__').o || exit 1; \
	done
	$(CXX) objects/*.o omnilink/runtime.o -o $@ -pthread -ldl $(LDLIBS)

# With AddressSanitizer and LeakSanitizer: reports are findings.
harness-asan: $(PARTS) $(SOURCES)
	$(COMPILE) -g -fsanitize=address,undefined omnilink/main.cpp $(SOURCES) -o $@ -pthread $(LDLIBS)

clean:
	rm -rf harness harness-schedule harness-asan objects

.DEFAULT_GOAL := harness
.PHONY: clean
