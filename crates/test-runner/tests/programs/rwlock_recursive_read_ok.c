#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER;int x; void*w(void*a){pthread_rwlock_rdlock(&l);pthread_rwlock_rdlock(&l);int y=x;pthread_rwlock_unlock(&l);pthread_rwlock_unlock(&l);return 0;} void*v(void*a){pthread_rwlock_wrlock(&l);x++;pthread_rwlock_unlock(&l);return 0;}
int main(){pthread_t t,u;pthread_create(&t,0,w,0);pthread_create(&u,0,v,0);pthread_join(t,0);pthread_join(u,0);return 0;}
