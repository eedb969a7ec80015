#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <errno.h>
#include <unistd.h>
#include <signal.h>
#include <time.h>
pthread_rwlock_t l=PTHREAD_RWLOCK_INITIALIZER; void*w(void*a){pthread_rwlock_wrlock(&l); int r=pthread_rwlock_wrlock(&l), s=pthread_rwlock_rdlock(&l); pthread_rwlock_unlock(&l); return (void*)(long)(r!=EDEADLK||s!=EDEADLK);}
int main(){pthread_t t,u;void*r,*s;pthread_create(&t,0,w,0);pthread_create(&u,0,w,0);pthread_join(t,&r);pthread_join(u,&s);return r||s;}
